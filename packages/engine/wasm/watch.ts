/** Shows scored records to the engine while their values lie in the slots. */

/** The next record that is shown, counted from 1; none while it begins at 0. A record that is not shown costs one subtraction. */
export let watchIn: i32 = 0

/** Takes the risk in ten-thousandths. Returns after how many records the next one is shown. */
@external('engine', 'watch')
declare function watchByEngine(risk: i32): i32

@inline
export function watchScored(risk: i32): void {
  watchIn--
  if (watchIn == 0) watchIn = watchByEngine(risk)
}
