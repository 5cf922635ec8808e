/** Positions of elements that were refused, as a short text that is kept with the request: 0,4-9999. They are in order. */
export function printPlaces(places: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = []
  for (const place of places) {
    const open = ranges.at(-1)
    if (open !== undefined && open.last + 1 === place) open.last = place
    else ranges.push({ first: place, last: place })
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join()
}

export function readPlaces(text: string): readonly number[] {
  if (text === '') return []
  return text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_each, place) => first + place)
  })
}
