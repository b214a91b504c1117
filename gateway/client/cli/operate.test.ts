// `gantry backup`: what stays on the disk when the download does not come to its end.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { aFolder } from '../../storage/database.fixture.ts'
import { gantry } from './cli.fixture.ts'

const COPY = Buffer.alloc(200_000, 7)
const HASH = createHash('sha256').update(COPY).digest('hex')

async function aBackupFrom(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of a TCP listener
  const file = join(aFolder(), 'copy.db')
  const ended = await gantry({ GANTRY_ADMIN_KEY: 'any' }, ['backup', file, '--url', `http://127.0.0.1:${port}`])
  return { file, ended }
}

it('saves the copy privately', async () => {
  const { file, ended } = await aBackupFrom((response) =>
    response.writeHead(200, { 'x-backup-sha256': HASH }).end(COPY),
  )
  expect(ended).toMatchObject({ code: 0 })
  expect(readFileSync(file).equals(COPY)).toBe(true)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it.each([
  [
    'breaks off',
    (response: ServerResponse) => void response.write(COPY, () => setTimeout(() => response.destroy(), 50)),
  ],
  ['does not match its hash', (response: ServerResponse) => void response.end(COPY.subarray(1))],
])('leaves no file when the download %s', async (_how, end) => {
  const { file, ended } = await aBackupFrom((response) => {
    response.writeHead(200, { 'x-backup-sha256': HASH })
    end(response)
  })
  expect([ended.code, existsSync(file)]).toEqual([1, false])
})
