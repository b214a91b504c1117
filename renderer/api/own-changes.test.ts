// Changes of one record that follow each other before the page has read the first, against a gateway that counts.
import { describe, expect, it } from 'vitest'
import { ADMIN, ApiError, type ClientRequest, type ClientResponse, createClient } from '#contract'
import { afterOwnChanges } from './own-changes.ts'

type Held = { readonly request: ClientRequest; readonly answer: () => void }
const answerOf = (status: number, body: object): ClientResponse => ({ status, headers: {}, body: JSON.stringify(body) })

/** Counts revisions as the gateway does; each request waits until the test answers it. */
function counting(revision = 1) {
  const held: Held[] = []
  const state = { revision }
  const decide = ({ headers, body }: ClientRequest): ClientResponse => {
    const sent = headers['if-match'] ? Number(headers['if-match'].slice(1, -1)) : JSON.parse(body ?? '{}').revision
    if (sent !== undefined && sent !== state.revision)
      return answerOf(412, { error: { code: 'PRECONDITION_FAILED', message: 'changed', request_id: 'r' } })
    state.revision += 1
    return answerOf(200, { name: 'x', revision: state.revision })
  }
  const api = createClient(
    ADMIN,
    afterOwnChanges(
      (request) =>
        new Promise((resolve) => {
          held.push({ request, answer: () => resolve(decide(request)) })
        }),
    ),
  )
  const next = async (): Promise<ClientRequest> => {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    const first = held.shift() as Held // it is there
    first.answer()
    return first.request
  }
  return { api, held, state, next }
}

const update = (api: ReturnType<typeof counting>['api'], name: string, revision: number) =>
  api.teams.update({ params: { id: name }, body: { name: 'x', revision } }).then(
    () => 'saved',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  )

describe('a second change of a record', () => {
  it('waits for the answer of the first, and names the revision in it', async () => {
    const { api, held, next } = counting()
    const changes = [update(api, '1', 1), update(api, '1', 1), update(api, '1', 1)]
    await expect.poll(() => held.length).toBe(1)
    const sent = [await next(), await next(), await next()]
    expect(await Promise.all(changes)).toEqual(['saved', 'saved', 'saved'])
    expect(sent.map(({ body }) => JSON.parse(body ?? '').revision)).toEqual([1, 2, 3])
  })

  it('is refused if another user changed the record in between', async () => {
    const { api, state, next } = counting()
    const first = update(api, '1', 1)
    await next()
    expect(await first).toBe('saved')
    state.revision += 1
    const second = update(api, '1', 1)
    await next()
    await next()
    expect(await second).toBe('PRECONDITION_FAILED')
  })

  it('goes on after a first one that was refused', async () => {
    const { api, next } = counting(5)
    const [first, second] = [update(api, '1', 4), update(api, '1', 5)]
    await next()
    await next()
    expect([await first, await second]).toEqual(['PRECONDITION_FAILED', 'saved'])
  })

  it('is one of the record that has the name now, where it was deleted and created again', async () => {
    const { api, state, next } = counting()
    const first = update(api, '1', 1)
    await next()
    expect(await first).toBe('saved')
    state.revision = 1
    const second = update(api, '1', 1)
    await next()
    await next()
    expect(await second).toBe('saved')
  })

  it('does not wait for a change of another record, and is counted with the parts of its own', async () => {
    const { api, held, next } = counting()
    const [one, other] = [update(api, '1', 1), update(api, '2', 2)]
    await expect.poll(() => held.length).toBe(2)
    await next()
    await next()
    expect([await one, await other]).toEqual(['saved', 'saved'])
    const moved = api.users.setTeam({ params: { username: 'ada' }, body: { teamId: null, revision: 3 } })
    const changed = api.users.update({ params: { username: 'ada' }, body: { role: 'viewer', revision: 3 } })
    const sent = [await next(), await next()]
    expect(sent.map(({ body }) => JSON.parse(body ?? '').revision)).toEqual([3, 4])
    await Promise.all([moved, changed].map((each) => each.catch(() => undefined)))
  })
})
