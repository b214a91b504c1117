// `npm run bench`: the project's own numbers, each beside a baseline of the same run. Reported, never asserted.
import { buildAll } from '../build.ts'
import { isStale } from '../stale.mjs'
import { access } from './access.ts'
import { curation } from './curation.ts'
import { house } from './house.ts'
import { pcg } from './pcg.ts'
import { registration } from './registration.ts'

export type BenchRow = {
  readonly label: string
  readonly value: string
  readonly beside?: string
  readonly ratio?: string
  readonly aim?: string
}
export type BenchPart = { readonly name: string; run(): Promise<readonly BenchRow[]> }

const PARTS: readonly BenchPart[] = [house, access, registration, curation, pcg]

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !PARTS.some((part) => part.name === name))
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; parts are ${PARTS.map(({ name }) => name).join(', ')}.`)
  process.exit(64)
}
if (isStale()) await buildAll((line) => console.log(line))
for (const part of PARTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  console.log(`\n${part.name}`)
  for (const { label, value, beside = '', ratio = '', aim = '' } of await part.run())
    console.log(
      `  ${label.padEnd(44)} ${value.padStart(18)}  ${beside.padStart(24)}  ${ratio === '' ? '' : `× ${ratio}`.padStart(8)}  ${aim === '' ? '' : `(aim ${aim})`}`,
    )
}
