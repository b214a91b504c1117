// Examples of a tool: what is kept, what is refused, and that they go with the tool.
import { beforeEach, describe, expect, it } from 'vitest'
import { ExampleInput } from '../../contract/admin/tool-examples.ts'
import { RegistrationPayload } from '../../contract/registration.ts'
import { aBackendHouse, type BackendHouse, ROOT, someone } from '../backends/backends.fixture.ts'
import { createToolExamples, type ToolExamples } from './tool-examples.ts'

let house: BackendHouse
let examples: ToolExamples
beforeEach(async () => {
  house = await aBackendHouse()
  const inputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
  const tools = ['read', 'other'].map((name) => ({
    name,
    method: 'GET',
    endpoint: `/${name}/:id`,
    description: name,
    inputSchema,
  }))
  await house.registration.register(
    ROOT,
    RegistrationPayload.parse({ name: 'shop', base_url: 'http://127.0.0.1:81', tools }),
  )
  const { database, changes, registry, time } = house
  examples = createToolExamples({
    database,
    changes,
    registry,
    monitors: { refresh: async () => undefined },
    clock: { now: () => time.nowMs },
  })
})
const add = (given: object, tool = 'read') =>
  examples.create(ROOT, 'shop', tool, ExampleInput.parse({ label: 'a pet', args: { id: 5 }, ...given }))
const list = (limit = 50, cursor?: string) => examples.list(ROOT.actor, 'shop', 'read', { limit, cursor })

describe('an example', () => {
  it('has a label, its arguments and who kept it [ct.10.2.example]', async () => {
    expect(await add({})).toEqual({
      id: 1,
      label: 'a pet',
      args: { id: 5 },
      createdAt: '2026-01-31T09:15:00.000Z',
      createdBy: 'root',
    })
  })

  it('takes arguments that a call could have, reserved ones included, and others only with consent [ct.18.invalid_args]', async () => {
    await expect(add({ args: {} })).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      status: 400,
      message: 'The tool would refuse these arguments: id is required',
    })
    await add({ args: { id: '5', __confirm: true } })
    await add({ args: { id: 'no number' }, force: true })
    await expect(examples.update(ROOT, 'shop', 'read', '1', { args: { id: 'x' } })).rejects.toMatchObject({
      code: 'INVALID_ARGS',
    })
    expect((await list()).items.map(({ args }) => args)).toEqual([{ id: 'no number' }, { id: '5', __confirm: true }])
  })

  it('is one of fifty at most, of each tool [ct.18.limit_reached]', async () => {
    for (let count = 0; count < 50; count += 1) await add({ label: `number ${count}` })
    await expect(add({})).rejects.toMatchObject({ code: 'LIMIT_REACHED', status: 409 })
    await add({}, 'other')
    await examples.delete(ROOT, 'shop', 'read', '1')
    await add({})
    const first = await list(49)
    expect([first.items.length, (await list(49, first.nextCursor)).items.map(({ label }) => label)]).toEqual([
      49,
      ['number 1'],
    ])
  })

  it('is changed and removed, each with its audit row that holds no argument', async () => {
    const secret = { id: 7, note: 'for no other' }
    await add({ args: secret })
    await examples.update(ROOT, 'shop', 'read', '1', { label: 'renamed' })
    await examples.update(ROOT, 'shop', 'read', '1', { args: { id: 8 } })
    await examples.update(ROOT, 'shop', 'read', '1', { args: { id: 8 }, label: 'renamed' })
    await examples.delete(ROOT, 'shop', 'read', '1')
    const entries = (await house.audit()).filter(({ action }) => action.startsWith('tool.example.'))
    expect(entries.map(({ action, target, detail }) => [action, target, detail])).toEqual([
      ['tool.example.create', 'shop__read', { request_id: 'test', id: 1, label: 'a pet', forced: false }],
      [
        'tool.example.update',
        'shop__read',
        { request_id: 'test', id: 1, before: { label: 'a pet' }, after: { label: 'renamed' } },
      ],
      [
        'tool.example.update',
        'shop__read',
        { request_id: 'test', id: 1, before: { args: '[set]' }, after: { args: '[set]' } },
      ],
      ['tool.example.delete', 'shop__read', { request_id: 'test', id: 1, before: { label: 'renamed' } }],
    ])
  })

  it.each(['2', '0', 'x', '1.5', '9007199254740993'])('of the id %s is not found', async (id) => {
    await add({})
    await add({}, 'other')
    for (const work of [examples.update(ROOT, 'shop', 'read', id, {}), examples.delete(ROOT, 'shop', 'read', id)])
      await expect(work).rejects.toMatchObject({ code: 'EXAMPLE_NOT_FOUND', status: 404 })
  })

  it('is not shared with others, and goes with its backend', async () => {
    await add({})
    for (const work of [
      examples.list(someone(2).actor, 'shop', 'read', { limit: 50 }),
      examples.create(someone(2), 'shop', 'read', ExampleInput.parse({ label: 'x' })),
      examples.update(someone(2), 'shop', 'read', '1', {}),
      examples.delete(someone(2), 'shop', 'read', '1'),
    ])
      await expect(work).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
    await house.backends.delete(ROOT, 'shop')
    expect(await house.database.query.selectFrom('tool_examples').selectAll().execute()).toEqual([])
  })
})

it.each([
  ['without a label', { args: {} }, 'label'],
  ['with a label of blanks', { label: '  ' }, 'label'],
  ['with a label of 101 characters', { label: 'x'.repeat(101) }, 'label'],
  ['with arguments that are no object', { label: 'x', args: [] }, 'args'],
  ['with more than 16 KiB of them', { label: 'x', args: { text: 'é'.repeat(8_192) } }, 'args'],
  ['with a field too many', { label: 'x', tool: 'read' }, ''],
])('is not taken %s', (_case, body, path) => {
  const parsed = ExampleInput.safeParse(body)
  expect(parsed.error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
})
