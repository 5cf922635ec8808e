/** A model that one SELECT cannot compute exactly. The message is for the user. */
export class NotInSql extends Error {
  override readonly name = 'NotInSql'
}
