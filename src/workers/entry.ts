/** The file a thread starts with: beside the file that asks, in source as in compiled form. */

export function threadEntry(besideUrl: string, name: string): URL {
  return new URL(`./${name}${besideUrl.endsWith('.ts') ? '.ts' : '.js'}`, besideUrl)
}
