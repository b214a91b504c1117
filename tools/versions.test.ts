// What is shipped is no older than the last known security fix of each part (security case SC-01).
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

type Locked = { readonly version: string; readonly dev?: boolean }
const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>> // npm's own format
}

/** The least version of each line that is kept up; a line that is not here is too old. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  fastify: ['5.12.2'],
  'fast-uri': ['3.1.7', '4.1.4'],
  undici: ['7.29.0', '8.9.0'],
  '@modelcontextprotocol/sdk': ['1.26.0'],
  electron: ['39.8.10', '40.9.3', '41.4.0', '42.0.0'],
}
/** Known to be open, or known to have been again and again. */
const UNWANTED = ['@fastify/middie', 'node-forge', 'fast-jwt']

const numbers = (version: string): readonly number[] => version.split('.').map(Number)
function reaches(version: string, floor: string): boolean {
  const [have, want] = [numbers(version), numbers(floor)]
  const at = want.findIndex((number, index) => have[index] !== number)
  return at === -1 || (have[at] ?? 0) > (want[at] ?? 0)
}
const majorOf = (version: string): number => numbers(version)[0] ?? 0
function isKept(version: string, floors: readonly string[]): boolean {
  const own = floors.find((floor) => majorOf(floor) === majorOf(version))
  return own === undefined ? floors.every((floor) => majorOf(floor) < majorOf(version)) : reaches(version, own)
}

/** Each copy of it that runs where the program runs; Electron itself is what it runs in. */
const copiesOf = (name: string): readonly string[] =>
  Object.entries(packages)
    .filter(([path, { dev }]) => path.endsWith(`node_modules/${name}`) && (dev !== true || name === 'electron'))
    .map(([, { version }]) => version)

it.each(Object.entries(FLOORS))('%s is at %j or above', (name, floors) => {
  expect(copiesOf(name)).not.toEqual([])
  expect(copiesOf(name).filter((version) => !isKept(version, floors))).toEqual([])
})

it.each(UNWANTED)('%s is not among what is shipped', (name) => {
  expect(copiesOf(name)).toEqual([])
})

it('Node is at 24.14.1 or above', () => {
  expect(reaches(process.versions.node, '24.14.1')).toBe(true)
})

it('a version below its floor is distinguished from one above', () => {
  const judged = ['8.8.9', '8.9.0', '8.10.0', '7.29.0', '7.28.9', '6.99.0', '9.0.0'].map((version) =>
    isKept(version, ['7.29.0', '8.9.0']),
  )
  expect(judged).toEqual([false, true, true, true, false, false, true])
})
