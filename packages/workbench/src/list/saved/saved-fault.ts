/** Why a saved list cannot be opened or written. */

export class SavedFault extends Error {
  override readonly name = 'SavedFault'
  readonly reason: 'damaged' | 'version' | 'wrong' | 'noCrypto'

  constructor(reason: SavedFault['reason']) {
    super(reason)
    this.reason = reason
  }
}
