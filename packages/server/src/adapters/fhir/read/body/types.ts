/** The types of resources that are read. */
export const USED = ['Patient', 'Encounter', 'Observation', 'Condition', 'Procedure', 'QuestionnaireResponse']

/** Resources that say that several records are of one person. */
export const CONNECTING = ['Person', 'Linkage']
