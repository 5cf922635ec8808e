/** The day of the service, whose clock and time zone decide whether a date lies in the future: those of the browser may differ. */

let aheadMs = 0

/** Every answer says what time it is for the service. */
export function noteServiceTime(response: Response): void {
  const at = Date.parse(response.headers.get('date') ?? '')
  if (!Number.isNaN(at)) aheadMs = at - Date.now()
}

/** Today as DD-MM-YYYY for the service in its zone; without a zone, in that of the browser. */
export function serviceDay(timeZone: string | undefined): string {
  const form = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone } as const
  return new Intl.DateTimeFormat('en-GB', form).format(Date.now() + aheadMs).replaceAll('/', '-')
}
