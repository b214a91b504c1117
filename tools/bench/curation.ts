// What a bundle costs by its size: naming a tool and listing the page of a client, for a thousand members beside ten.
import { createHash } from 'node:crypto'
import type { Caller } from '../../gateway/pipeline/call.ts'
import { someBackend } from '../../gateway/registry/backend.fixture.ts'
import type { Backend, Tool } from '../../gateway/registry/backend.ts'
import { createSurface, type Surface } from '../../gateway/surfaces/surface.ts'
import type { BenchPart } from './index.ts'
import { median } from './server.ts'
import { timed } from './timed.ts'

const ROUNDS = 15
const TIMES = 20_000
const AT = '2026-01-01T00:00:00.000Z'

const backendOf = (name: string): Backend =>
  someBackend({ name, baseUrl: 'http://93.184.215.14', pins: null, pinnedAt: AT })

const toolOf = (client: string, at: number): Tool => ({
  id: at,
  client,
  name: `operation_${at}`,
  sourceName: `operation${at}`,
  definition: {
    name: `operation_${at}`,
    sourceName: `operation${at}`,
    description: `Does thing ${at}`,
    method: 'GET',
    inputSchema: { type: 'object', properties: { id: { type: 'string', description: 'Which one' } }, required: ['id'] },
    places: { id: { in: 'path', name: 'id' } },
  },
  config: {},
  tags: [],
  schemaHash: createHash('sha256').update(String(at)).digest('hex'),
  missingSince: null,
  revision: 1,
  updatedAt: AT,
})

/** `size` tools of ten backends. */
function bundleOf(size: number): Surface {
  const backends = Array.from({ length: 10 }, (_, at) => backendOf(`backend-${at}`))
  return createSurface({
    kind: 'bundle',
    id: 'bundle:bench',
    bundle: 'bench',
    members: Array.from({ length: size }, (_, at) => {
      const backend = backends[at % backends.length] ?? backendOf('backend-0')
      return { backend, tool: toolOf(backend.name, at) }
    }),
    gates: () => ({ sensitive: false, approval: false }),
    available: () => true,
    searchJson: undefined,
  })
}

const caller: Caller = {
  name: 'bench',
  kind: 'env',
  keyHash: null,
  keyId: null,
  elevated: false,
  consumerId: null,
  teamId: null,
  adminRole: null,
  bundles: null,
  mayReach: () => true,
  person: null,
  namesPeople: false,
  onEnd: null,
}

const repeated = (work: () => unknown): Promise<number> =>
  timed(() => {
    for (let time = 0; time < TIMES; time += 1) work()
  })

export const curation: BenchPart = {
  name: 'curation',
  async run() {
    const small = bundleOf(10)
    const large = bundleOf(1_000)
    const samples: { find: number; page: number; findSmall: number; pageSmall: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      samples.push({
        findSmall: await repeated(() => small.find('backend-7__operation_7', caller)),
        find: await repeated(() => large.find('backend-7__operation_997', caller)),
        pageSmall: await repeated(() => small.page(caller, undefined, 1_000)),
        page: await repeated(() => large.page(caller, undefined, 1_000)),
      })
    const built = await timed(() => bundleOf(1_000).page(caller, undefined, 1_000))
    const nanos = (ms: number): string => `${((ms / TIMES) * 1e6).toFixed(0)} ns`
    const row = (label: string, of: (sample: (typeof samples)[number]) => readonly [number, number]) => ({
      label,
      value: nanos(median(samples.map((sample) => of(sample)[0]))),
      beside: `${nanos(median(samples.map((sample) => of(sample)[1])))} of 10`,
      ratio: median(samples.map((sample) => of(sample)[0] / of(sample)[1])).toFixed(2),
      aim: '≤ 1.5',
    })
    return [
      row('a bundle of 1,000: a name becomes its tool', ({ find, findSmall }) => [find, findSmall]),
      row('a bundle of 1,000: the page of tools/list', ({ page, pageSmall }) => [page, pageSmall]),
      { label: 'a bundle of 1,000: built and written again', value: `${built.toFixed(1)} ms` },
    ]
  },
}
