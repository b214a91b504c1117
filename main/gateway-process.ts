// The program of the gateway's process, controlled by main over the port. Electron ends it when main ends.
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { type Gateway, giveBackIdleMemory } from '#gateway'
import type { Command, FromGateway, ToGateway } from './gateway-port.ts'
import { openGateway } from './open-gateway.ts'

const port = process.parentPort
const send = (message: FromGateway): void => port.postMessage(message)
const writeLog = (line: string): void => void process.stderr.write(line)
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
let gateway: Gateway | undefined

async function run(command: Command): Promise<unknown> {
  if (command.command === 'request') return gateway?.adminRequest(command.request, userInfo().username)
  const readFile = (file: string): string => readFileSync(file, 'utf8')
  const { gateway: made, ...opened } = await openGateway(command.prepared, command.mode, { readFile, writeLog })
  gateway = made
  gateway.subscribe((event) => send({ event }))
  return opened
}

async function close(): Promise<void> {
  try {
    await gateway?.close()
  } catch (error) {
    writeLog(`The gateway did not close: ${messageOf(error)}\n`)
  }
  // Flushes the last lines first.
  process.stderr.write('', () => process.exit(0))
}

port.on('message', ({ data }) => {
  // Main sends this type only.
  const message = data as ToGateway
  if (message.command === 'close') void close()
  else
    run(message).then(
      (value) => send({ id: message.id, value }),
      (error: unknown) => send({ id: message.id, error: messageOf(error) }),
    )
})

process.on('uncaughtException', (error) =>
  send({ crash: { message: messageOf(error), stack: error instanceof Error ? (error.stack ?? '') : '' } }),
)
// Logged only: the rest of the gateway is intact.
process.on('unhandledRejection', (error) => writeLog(`Unhandled rejection: ${String(error)}\n`))
// A terminal or service manager signals main too, and main closes the gateway after its calls in flight.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
giveBackIdleMemory()
