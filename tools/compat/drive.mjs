// Drives one client in a process of its own: each line of standard input is a step, each line of standard output its result.
import { createInterface } from 'node:readline'
import { CLIENTS } from './clients.mjs'

const [name = '', url = '', headers = '{}'] = process.argv.slice(2)
const answer = (value) => process.stdout.write(`\u0001${JSON.stringify(value)}\n`)
let client
for await (const line of createInterface({ input: process.stdin })) {
  const { step, tool, args } = JSON.parse(line)
  try {
    if (step === 'open') client = await CLIENTS[name].open(url, JSON.parse(headers))
    const value = step === 'list' ? await client.list() : step === 'call' ? await client.call(tool, args) : undefined
    if (step === 'close') await client?.close()
    answer({ value })
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
}
process.exit(0)
