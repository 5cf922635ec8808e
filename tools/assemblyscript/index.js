// What scripts/build-wasm.ts uses.
export { main } from 'assemblyscript/asc'
