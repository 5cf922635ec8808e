/** A planted defect: `audit verify` does not compare the chain with anchors. */
import { ChainVerifier } from '../../../src/store/audit/chain-verifier.ts'

const report = Reflect.get(ChainVerifier.prototype, 'report') as () => { readonly faults: readonly string[] }

Reflect.set(ChainVerifier.prototype, 'report', function (this: ChainVerifier) {
  const found = Reflect.apply(report, this, [])
  return { ...found, faults: found.faults.filter((fault) => !fault.includes('anchor')) }
})
