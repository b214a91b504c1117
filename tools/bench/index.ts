// `npm run bench`: the project's own numbers, each beside a baseline of the same run. Reported, never asserted.
import { buildAll } from '../build.ts'
import { isStale } from '../stale.mjs'
import { access } from './access.ts'
import { context } from './context.ts'
import { curation } from './curation.ts'
import { desktop } from './desktop.ts'
import { discovery } from './discovery.ts'
import { face } from './face.ts'
import { fleet } from './fleet.ts'
import { history } from './history.ts'
import { house } from './house.ts'
import { lists } from './lists.ts'
import { overload } from './overload.ts'
import { pcg } from './pcg.ts'
import { plane } from './plane.ts'
import { programs } from './programs.ts'
import { registration } from './registration.ts'
import { stages } from './stages.ts'
import { start } from './start.ts'
import { studio } from './studio.ts'

export type BenchRow = {
  readonly label: string
  readonly value: string
  readonly beside?: string
  readonly ratio?: string
  readonly aim?: string
  readonly met?: boolean
}
/** All at once, or each as it is known where the whole takes minutes. */
export type BenchPart = { readonly name: string; run(): Promise<readonly BenchRow[]> | AsyncIterable<BenchRow> }

const PARTS: readonly BenchPart[] = [
  house,
  start,
  discovery,
  lists,
  context,
  access,
  registration,
  curation,
  plane,
  programs,
  stages,
  pcg,
  face,
  studio,
  desktop,
]
/** Takes minutes: only when it is asked for. */
const LONG: readonly BenchPart[] = [overload, history, ...fleet]
const ALL = [...PARTS, ...LONG]

// A measurement that is interrupted ends what it started (ended-with.ts).
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const wanted = process.argv.slice(2)
/** `fleet` names all parts that begin with it. */
const isNamed = (part: BenchPart, name: string): boolean => part.name === name || part.name.startsWith(`${name}-`)
const unknown = wanted.find((name) => !ALL.some((part) => isNamed(part, name)))
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}"; parts are ${ALL.map(({ name }) => name).join(', ')}.`)
  process.exit(64)
}
if (isStale()) await buildAll((line) => console.log(line))
for (const part of wanted.length === 0 ? PARTS : ALL.filter((part) => wanted.some((name) => isNamed(part, name)))) {
  console.log(`\n${part.name}`)
  for await (const { label, value, beside = '', ratio = '', aim = '', met } of await part.run())
    console.log(
      `  ${label.padEnd(44)} ${value.padStart(18)}  ${beside.padStart(24)}  ${ratio === '' ? '' : `× ${ratio}`.padStart(8)}  ${aim === '' ? '' : `(aim ${aim})`}${met === undefined ? '' : met ? ' met' : ' missed'}`,
    )
}
