// One specification in a process of its own: medians of the processor time of its parse and of its discovery, warm.
import { readFileSync } from 'node:fs'
import { discover } from '../../gateway/discovery/discover.ts'
import { asText } from '../../gateway/discovery/discovery-text.ts'
import { median } from './server.ts'

const ROUNDS = 15
const LIMITS = { maxTools: 10_000, graphqlMaxTypes: 5_000, graphqlSelectionMaxDepth: 3, graphqlInputMaxDepth: 4 }
const text = readFileSync(process.argv[2] ?? '', 'utf8')

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const parses: number[] = []
const discoveries: number[] = []
let tools = 0
for (let round = 0; round < ROUNDS; round++) {
  parses.push(await cpuMs(() => JSON.parse(text) as unknown))
  // As the thread that reads sources returns them: as text.
  const texts = async () => {
    const found = await discover({ kind: 'openapi', text }, LIMITS)
    asText(found)
    tools = found.tools.length
  }
  discoveries.push(await cpuMs(texts))
}
process.stdout.write(JSON.stringify({ parseMs: median(parses), discoveryMs: median(discoveries), tools }))
