/** Shows scored records to the engine while their values lie in the slots. */

/** One of so many records is shown, the next one after `watchIn`; none while `watchIn` begins at 0. The engine sets both. */
export let watchEvery: i32 = 0
export let watchIn: i32 = 0

/** Takes the risk in ten-thousandths. The result says nothing. */
@external('engine', 'watch')
declare function watchByEngine(risk: i32): i32

@inline
export function watchScored(risk: i32): void {
  watchIn--
  if (watchIn != 0) return
  watchIn = watchEvery
  watchByEngine(risk)
}
