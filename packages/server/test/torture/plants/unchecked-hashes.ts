/** A planted defect: a row whose hash does not fit its content is no fault. */
import { ChainVerifier } from '../../../src/store/audit/chain-verifier.ts'

const report = Reflect.get(ChainVerifier.prototype, 'report') as () => { readonly faults: readonly string[] }

Reflect.set(ChainVerifier.prototype, 'report', function (this: ChainVerifier) {
  const found = Reflect.apply(report, this, [])
  return { ...found, faults: found.faults.filter((fault) => !/hash|follow|damaged|moved/.test(fault)) }
})
