/** Where the scoring calls of a deployment lie, below its base path. */
export const SCORING_PATH = '/risk/api/do/v0'
