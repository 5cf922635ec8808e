/** Headers that every answer carries. A page that needs more than nothing says so itself. */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // Answers speak of patients: neither a browser nor a proxy keeps them.
  'cache-control': 'no-store',
}

/** And those that a browser heeds for pages alone. The answer of a scoring call is none, and each header has its price. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...DATA_HEADERS,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** For a page of our own that loads its scripts and styles from this service, and nothing else from anywhere. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
