/** Defects that are planted into the adapter, one for each class of its rules: a text of a source file, and what replaces it. */
export interface Plant {
  readonly why: string
  /** In `src/adapters/fhir`. */
  readonly file: string
  readonly text: string
  readonly instead: string
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  references: {
    why: 'the same id on another server is taken for somebody else',
    file: 'read/rules.ts',
    text: "if (address?.type === 'Patient') return shortIn(address)",
    instead: "if (address?.type === 'Patient') return SOMEBODY_ELSE",
  },
  moment: {
    why: 'days are compared, not instants',
    file: 'read/moment.ts',
    text: 'if (given.instant !== undefined && moment.instant !== undefined) return given.instant > moment.instant',
    instead: '',
  },
  dates: {
    why: 'a date without a time counts as before the moment',
    file: 'read/moment.ts',
    text: 'const isOpen = last === moment.day',
    instead: 'const isOpen = last < moment.day',
  },
  periods: {
    why: 'a period that is over gets a risk',
    file: 'read/rules.ts',
    text: 'if (end === undefined || end >= today) return undefined',
    instead: 'if (end !== null) return undefined',
  },
  ends: {
    why: 'the end of a Condition is not read',
    file: 'read/rules.ts',
    text: "if (given.length === 0) return 'none'",
    instead: "return 'none'",
  },
  modifiers: {
    why: 'modifiers are not read',
    file: 'read/body/modifiers.ts',
    text: "(key) => key === 'modifierExtension' ||",
    instead: '(key) => false &&',
  },
  bundles: {
    why: 'the type of a Bundle is not read',
    file: 'read/rules.ts',
    text: 'if (BUNDLE_TYPES.includes(String(type))) return undefined',
    instead: 'return undefined',
  },
  statuses: {
    why: 'a status is compared by its code alone',
    file: 'read/status-codes.ts',
    text: "SYSTEMS[kind].includes(systemName(textOf(inside(coding, 'system')) ?? ''))",
    instead: 'true',
  },
  focus: {
    why: 'what an Observation is about is not read',
    file: 'read/rules.ts',
    text: "const focus = type === 'Observation' ? allOf(resource['focus']) : []",
    instead: 'const focus: unknown[] = []',
  },
  doubled: {
    why: 'a stay that is recorded twice counts twice',
    file: 'read/rules.ts',
    text: '  return doubled\n',
    instead: '  return new Map()\n',
  },
  orphans: {
    why: 'a resource of nobody is of nobody here',
    file: 'read/rules.ts',
    text: 'return identifiers.length === 0 ? ANYBODY',
    instead: 'return identifiers.length === 0 ? SOMEBODY_ELSE',
  },
  sets: {
    why: 'readings of different hours make one scale',
    file: 'read/reading-set.ts',
    text: 'if (hours === undefined) return undefined',
    instead: 'if (hours !== 0) return undefined',
  },
  steps: {
    why: 'a converted reading is not rounded to the step of its field',
    file: 'evaluator.ts',
    text: 'return step === undefined ? value :',
    instead: 'return step !== 0 ? value :',
  },
  shortCodes: {
    why: 'a code of ICD-10 that was cut short says "no"',
    file: 'read/rules.ts',
    text: 'if (isPartly && !isUndivided) return undefined',
    instead: '',
  },
  otherCodes: {
    why: 'what is no code of ICD-10 says "no"',
    file: 'read/diagnosis-codes.ts',
    text: 'const codes = written.filter(({ code }) => isIcdCode(code))',
    instead: 'const codes = written',
  },
  maps: {
    why: 'a code that the maps leave open says "no"',
    file: 'read/diagnosis-codes.ts',
    text: 'if (same.length + wider.length === 0) return undefined',
    instead: '',
  },
  contained: {
    why: 'what another resource contains is not seen',
    file: 'read/body/submission.ts',
    text: 'this.addContained(resource, path)',
    instead: '',
  },
  parts: {
    why: 'a stay is a part of another one that was at another time',
    file: 'read/rules.ts',
    text: 'if (isCircular || isApart) return { ...apart, partFault: WHY.partOfOther }',
    instead: '',
  },
  unsent: {
    why: 'what names an Encounter that was not sent is not seen',
    file: 'read/stays/count-visits.ts',
    text: 'if (naming === undefined) return undefined',
    instead: 'return undefined',
  },
  narrowed: {
    why: 'what a search was asked for is not read',
    file: 'read/body/narrowed-results.ts',
    text: 'if (isPart || narrowing.length > 0)',
    instead: 'if (url === path)',
  },
  connected: {
    why: 'a Person who connects two records is not read',
    file: 'read/body/submission.ts',
    text: 'this.connections.push(connectionIn(resource, type, fullUrl))',
    instead: 'this.connections.concat()',
  },
  oldIds: {
    why: 'an old id with the number of the patient is somebody else',
    file: 'read/rules.ts',
    text: "if (address?.type === 'Patient' && identifiers.length > 0)",
    instead: 'if (address === null)',
  },
  types: {
    why: 'a type in small letters, or one that FHIR does not have, is one that is not used',
    file: 'read/rules.ts',
    text: 'if (!isFhirType(type))',
    instead: 'if (type === null)',
  },
  classes: {
    why: 'of two classes the first one counts',
    file: 'read/stays/visit.ts',
    text: "return kinds.length > 1 ? 'unknown' : kind",
    instead: 'return kind',
  },
  emergencies: {
    why: 'an emergency visit that is recorded twice counts twice',
    file: 'read/rules.ts',
    text: 'for (const entry of overlapping(ofKind))',
    instead: "for (const entry of kind === 'emergency' ? [] : overlapping(ofKind))",
  },
  lists: {
    why: 'a single element outside of a list is not read',
    file: 'read/rules.ts',
    text: "allOf(resource['focus'])",
    instead: "[resource['focus'] ?? []].flat().filter(() => Array.isArray(resource['focus']))",
  },
  untold: {
    why: 'an older value takes the place of one that is not told',
    file: 'read/rules.ts',
    text: 'return isNotFoundOut ? false : undefined',
    instead: 'return false',
  },
  bareCodes: {
    why: 'a code without its system is another code',
    file: 'read/chart.ts',
    text: "if (codingsOf(code).some(({ system }) => system.includes(':'))) return []",
    instead: 'if (code !== null) return []',
  },
  unitTexts: {
    why: 'the text of a unit is not compared with the units of the field',
    file: 'evaluator.ts',
    text: 'return one === undefined ? known.some((each) => convertTo(text, 1, each) !== undefined) : one !== 1',
    instead: 'return one !== undefined && one !== 1',
  },
  outcomes: {
    why: 'what a server says of a search is not read',
    file: 'read/body/failed-search.ts',
    text: '|| (isObject(outcome) && isFailure(outcome))',
    instead: '',
  },
  days: {
    why: 'visits of one day that no time tells apart are two',
    file: 'read/stays/alike-visits.ts',
    text: 'ofDay.length > 1 ? alikeOn(ofDay) : []',
    instead: '[]',
  },
  endless: {
    why: 'a start of long ago that stands for none is a start',
    file: 'read/rules.ts',
    text: "const isStartOpen = isBackwards || (isEndless && kind !== 'other')",
    instead: 'const isStartOpen = isBackwards || (isEndless && start === undefined)',
  },
  offsets: {
    why: 'a time in another offset is of the day that is written',
    file: 'read/moment.ts',
    text: 'if (day === moment.day) return moment',
    instead: 'if (day !== null) return moment',
  },
  bareNumbers: {
    why: 'a number of a Patient without its system is another number',
    file: 'read/body/twins.ts',
    text: "const isBare = ({ identifier }: Numbered): boolean => systemOf(identifier) === ''",
    instead: "const isBare = ({ identifier }: Numbered): boolean => identifier === ''",
  },
  otherTypes: {
    why: 'a resource of a type that is not read, and that names an Encounter which was not sent, is not seen',
    file: 'read/body/submission.ts',
    text: 'else this.others.push({ resource, type, path, fullUrl })',
    instead: '',
  },
  levels: {
    why: 'a part by its level is one of a stay that was not sent',
    file: 'read/stays/timeline.ts',
    text: 'const visits = withWholes(read)',
    instead: 'const visits = withWholes === undefined ? [] : read',
  },
}
