// The text that a new script begins with.
export const FIRST_SCRIPT = `export default async function (input: Input): Promise<unknown> {
  return { input }
}
`
