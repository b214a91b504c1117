// Every real spec beside the project, served from loopback and registered through the front door: as many tools as it has operations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { corpus, corpusFiles, corpusJson } from '../../gateway/discovery/corpora.fixture.ts'
import { startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import type { Gateway } from './gateway.fixture.ts'
import { codeOf, jsonOf, register, startNear, storedRows } from './registration.fixture.ts'

const NOTHING_TO_CALL = 'webhooks-only.v31.yaml'

describe('real specs', () => {
  let gateway: Gateway
  let files: UpstreamServer
  beforeAll(async () => {
    gateway = await startNear({
      MAX_TOOLS_PER_CLIENT: '10000',
      OPENAPI_DISCOVERY_TIMEOUT_MS: '60000',
    })
    files = await startServer(({ url }, response) => response.end(corpus(`openapi/${url.slice(1)}`)))
  })
  afterAll(async () => {
    await gateway.end()
    await files.close()
  })
  const send = (file: string, at: number) =>
    register(gateway, { name: `c${at}`, openapi_url: `${files.url}/${file}`, base_url: files.url })

  it.each(
    corpusFiles('openapi')
      .map((file, at) => [file, at] as const)
      .filter(([file]) => file !== NOTHING_TO_CALL),
  )('%s becomes its operations [ct.4.2.openapi-versions]', async (file, at) => {
    const operations = corpusJson(`expected-openapi-ops/${file}.ops.json`) as readonly unknown[] // a list, one entry each
    const preview = await gateway.admin('/admin-api/discovery/preview', {
      method: 'POST',
      body: { openapi_url: `${files.url}/${file}`, base_url: files.url },
    })
    expect(preview.status, preview.text.slice(0, 500)).toBe(200)
    const { count, skipped } = jsonOf<{ count: number; skipped: { reason: string }[] }>(preview)
    const internal = skipped.filter(({ reason }) => reason === 'marked x-internal').length
    expect(count + internal).toBe(operations.length)
    const answer = await send(file, at)
    expect([answer.status, jsonOf(answer).tools_count]).toEqual([200, count])
  })

  it('one without operations is refused', async () => {
    const before = await storedRows(gateway)
    expect(codeOf(await send(NOTHING_TO_CALL, 999))).toBe('DISCOVERY_ERROR')
    expect(await storedRows(gateway)).toBe(before)
  })
})
