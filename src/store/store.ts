/** What the service keeps: keys. Times are milliseconds since 1970. Nothing of a patient is ever stored. */

export interface StoredKey {
  readonly id: string
  readonly name: string
  /** HMAC-SHA-256 of the secret; the secret itself is never stored. */
  readonly digest: Uint8Array
  /** Deployments that the key may use, and `admin`; `*` stands for every deployment. */
  readonly scopes: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** To the minute. */
  readonly lastUsedAt: number | null
}

export interface Store {
  insertKey(key: StoredKey): Promise<void>
  findKey(id: string): Promise<StoredKey | undefined>
  /** In the order in which they were made. */
  listKeys(): Promise<readonly StoredKey[]>
  /** Notes a use, to the minute. */
  noteUse(id: string, at: number): Promise<void>
  close(): Promise<void>
}
