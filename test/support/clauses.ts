/** The clauses of the contract, by section, and the one way to write a test that stands for one of them. */
import test from 'node:test'

export const CLAUSES = {
  '1.address': 'POST {base_url}/risk/api/do/v0, under the base path of each deployment',
  '1.defaults':
    'a fresh start serves readmission at /, readmission-flag at /flag (threshold 0.15) and mortality at /mortality',
  '1.agree': 'the two default deployments always agree',
  '1.stateless': 'scoring a request twice gives the same bytes, and nothing of a record is kept',
  '1.versions': 'a version being retired carries the Deprecation and Sunset headers of the configuration',
  '1.source': 'every scoring answer names deployment, model and digest',
  '1.deployment-digest':
    'every scoring answer and what describes a deployment name the digest of what decides an answer',
  '1.request-id': 'X-Request-Id is echoed when it has at most 128 printable ASCII characters, otherwise made',
  '2.order': 'status 200, JSON in UTF-8, one result per record in request order, also when all have problems',
  '2.empty': 'an empty array gives []',
  '2.keys': 'each result has exactly idx, risk, error_message, in that order',
  '2.number': 'the probability rounded to 4 decimals, never below 0.0001 nor above 0.9999',
  '2.yes-no': 'Yes when the rounded number is at or above the threshold, else No',
  '2.null': 'risk is null exactly when a blocking problem is listed; nothing is coerced',
  '3.not-an-object': 'element is not an object',
  '3.idx-missing': 'idx missing or null',
  '3.idx-not-integer': 'idx not an integer, or beyond ±(2^53 − 1)',
  '3.duplicate': 'the same idx in several records',
  '3.key-twice': 'the same key twice in one object',
  '3.too-many-keys': 'more than 1,024 keys',
  '3.null': 'value null is the same as absent',
  '3.type': 'value of another JSON type than the field’s is a ValueError, never converted',
  '3.integer': '75.0 and 7.5e1 are the integer 75',
  '3.n': '<n> is the record’s idx, or its position from 0 where it has no usable one',
  '3.all': 'all problems of a record, in the order: record and idx, base fields, scales, unknown names',
  '4.base': 'bounds and values of the base fields',
  '4.own-fields': 'a model with another window takes a field of its own',
  '4.list': 'an item has a list of permitted values',
  '4.total': 'a total is checked against its reachable range and step',
  '4.date': 'a scale’s date is a real calendar date DD-MM-YYYY, not before 01-01-1900 and not in the future',
  '4.field-date':
    'the date is the FieldDate of every problem on its scale, empty on the date and on a missing value',
  '4.sum': 'the sum of the given items must equal the given total',
  '4.not-plain-sum': 'where a total is not a plain sum, what its definition computes is compared',
  '4.computed': 'a model takes the given total, or computes it when all items are given and valid',
  '4.incomplete': 'an incomplete scale without total is ValueMissing for the total',
  '4.narrow': 'a model may narrow a field: outside is out of range',
  '5.shapes':
    'ValueError for value <Item> in idx <n> (<reason>) and ValueMissing for value <field>, no other kinds',
  '5.item': '<Item> is the part after the scale prefix or the whole name, first letter in upper case',
  '5.reasons': 'the closed list of reasons',
  '5.no-value': 'no message carries a submitted value; the computed sum is the one figure',
  '6.blocking': 'blocking: record, idx, repeated key, required missing or invalid, any sum mismatch',
  '6.not-blocking': 'not blocking: an invalid value that the model does not use or uses only when present',
  '6.unknown':
    'unknown names: a known prefix or another case is reported, any other ignored unless asked for',
  '7.problem': 'application/problem+json with type, title, status, detail, instance and code',
  '7.400': '400: malformed JSON; not UTF-8; body is not an array; bad framing',
  '7.401': '401: no key, unknown, expired or revoked key, with WWW-Authenticate',
  '7.key-first': 'the key is checked before the body is read',
  '7.403': '403: a valid key without this deployment in its scope',
  '7.404': '404: no such path',
  '7.405': '405: other method, with Allow',
  '7.408': '408: body too slow',
  '7.412':
    '412: If-Match names another state of the deployment; before the body is read, and nothing is scored',
  '7.413': '413: over the byte or record limit',
  '7.415': '415: not JSON, or an unsupported content coding',
  '7.503': '503 with Retry-After: the model failed its self-check, the store cannot be reached',
  '7.limits': 'the default limits, served in the discovery documents',
  '7.depth': 'nesting deeper than 8 is 400',
  '8.scheme': 'Authorization: Bearer <key>, the scheme in any case, one header only',
  '8.once': 'a key is shown once, when made',
  '8.format': 'prk_<id>_<secret><check>: a mistyped key is refused without a look-up',
  '8.stored': 'stored: id, name, HMAC of the secret, deployments, times; last used to the minute',
  '8.scopes': 'scopes: a list of deployments, and admin for the management calls',
  '9.validate': 'validate: the same answer without scoring: idx, valid, error_message',
  '9.explain': 'explain: the same results plus each term’s contribution and the values used',
  '9.model': 'model: the model card as JSON',
  '9.fields': 'fields: the field catalogue as JSON',
  '9.openapi': 'openapi.json is OpenAPI 3.1 generated from the same definitions, and docs a page to read it',
  '9.health': 'live and ready; ready only when every model reproduced its own cases at start',
  '10.start': 'serves on 127.0.0.1:8080; PORT, HOST, DATA_DIR and CONFIG change it',
  '10.first-key':
    'the first start with an empty store makes one key and prints it once with a ready curl line',
  '10.keys-create': 'keys create … --json prints id and key',
  '10.help': 'every command has --help and exits 0, 1 on a refused input, 2 on wrong usage',
  '12.elements':
    'outcomes: each element is answered in order, counted or with its problems; If-Match is ignored',
  '12.kinds': 'outcomes are event, none, diedFirst or unknown; true is event and false is none',
  '12.horizon': 'none and unknown cannot be true before the first day of the month plus the horizon',
  '12.corrections': 'a correction moves one count in the same cell, and is refused where there is none',
  '12.receipts':
    'results have a sealed receipt where the caller asks; an outcome that carries it is counted once',
  '12.scored':
    'number and sum of the risks are counted by digest, month, bin and group when they are scored; Risk-Outcomes: no leaves a call out, and an unknown Risk-Group is 400',
  '12.kept': 'kept are counts by digest, month, group, bin and outcome, and nothing else of an element',
  '12.cells': 'a body that would change more cells than outcomes.maxCells is 413, and nothing is counted',
  '12.repeat':
    'as long as the month is accepted a repeat is answered again and not counted; another body with its Idempotency-Key is 409',
} as const

export type Clause = keyof typeof CLAUSES

/** A test that stands for a clause. Its title quotes the section and the clause. */
export function contract(clause: Clause, title: string, run: () => void | Promise<void>): void {
  test(`contract ${clause.split('.')[0] ?? ''}: ${CLAUSES[clause]} · ${title}`, run)
}
