// Messages name numbers in the singular and the plural.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { counted } from './counted.ts'

it('names one thing in the singular', () => {
  expect([0, 1, 2].map((count) => counted(count, 'node'))).toEqual(['0 nodes', '1 node', '2 nodes'])
})

/** `${x} nodes` of a number that may be one. Limits, differences and counts from two on are no such number. */
const BARE =
  /(?<!at most |more than |limit is )\$\{(?!MOST_|most\b|labelled|items\.length|maxPoints|formatCount\((?:room|MOST_BOXES|total)\)|change\(|calls\.length|chosen\.length|all\.length|readers\.length)[^}]*\} (?:nodes|edges|points|instances|components|rows|calls|actors|changes|graphs|parameters)\b(?! per)/

const FOLDERS = ['pcg-bridge', 'renderer/studio', 'tools']
it.each(FOLDERS)('no message of %s counts one of many', (place) => {
  const folder = new URL(`../../${place}/`, import.meta.url)
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|fixture|suite)\./.test(name) && !/(^|\/)bench/.test(name))
    .flatMap((name) =>
      readFileSync(new URL(name, folder), 'utf8')
        .split('\n')
        .filter((line) => BARE.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})
