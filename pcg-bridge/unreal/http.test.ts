// A stream of events is read until the event that is waited for, each piece once, however it is cut.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { ask } from './http.ts'

async function streaming(pieces: readonly string[]): Promise<URL> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let at = 0
    // The stream stays open.
    const next = (): void => {
      const piece = pieces[at]
      at += 1
      if (piece !== undefined) response.write(piece, () => setImmediate(next))
    }
    next()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // a TCP server has one
}

const LAST = 'data: {"id": 7, "text": "ü"}'

it.each<[string, readonly string[]]>([
  ['in one piece', [`data: 1\n\n${LAST}\n\n`]],
  ['byte by byte', Array.from(`data: 1\r\n\r\n${LAST}\r\n\r\n`)],
  ['with a boundary in two pieces', [`data: 1\n`, `\n${LAST}\r\n`, '\r\n']],
])('%s', async (_how, pieces) => {
  const seen: string[] = []
  const { text } = await ask({
    method: 'GET',
    url: await streaming(pieces),
    timeoutMs: 60_000,
    isLast: (event) => seen.push(event) === 2,
  })
  expect([seen, text.trimEnd()]).toEqual([['data: 1', LAST], pieces.join('').trimEnd()])
})

it('a large event is looked at once, when it is complete', async () => {
  const large = `data: ${'x'.repeat(8_000_000)}`
  const pieces = Array.from({ length: 123 }, (_, at) => large.slice(at * 65_536, (at + 1) * 65_536))
  let looked = 0
  const url = await streaming([...pieces, '\n\n'])
  const { text } = await ask({ method: 'GET', url, timeoutMs: 60_000, isLast: () => (looked += 1) > 0 })
  expect([looked, text.length]).toEqual([1, large.length + 2])
})
