// Tools in the browser: limited, tried as any caller, found, ticked and switched among thousands.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { jsonOf, NEAR, PETS, registered, rpc } from '../scenarios/registration.fixture.ts'
import { barriers, hasBrowser, heading, soon, turnTo, undo, useGateway, visitAs, where } from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false', MAX_TOOLS_PER_CLIENT: '3000' })
let upstream: UpstreamServer
if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer(({ url }, response) =>
      answerJson(response, url === '/openapi.json' ? PETS : { ok: true }),
    )
    const openapi_url = `${upstream.url}/openapi.json`
    await registered(gateway(), { name: 'pets', base_url: upstream.url, openapi_url })
  })
  afterAll(() => upstream.close())
}

const petNow = async () => (await gateway().admin('/admin-api/clients/pets/tools/getPet')).json

describe.skipIf(!hasBrowser)(`tools (${where})`, () => {
  it('are limited on their page, and the gateway keeps to it', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    await page.getByLabel('Calls per minute').fill('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('getPet was changed').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('tab', { name: /^What a model sees/ }).click()
    await page.getByRole('region', { name: 'Arguments' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('tab', { name: 'Limits' }).click()
    const ask = () => rpc(gateway(), 'pets', 'tools/call', { name: 'getPet', arguments: { id: 1 } })
    await ask()
    expect((await ask()).text).toContain('rate_limit')
  })

  it('are listed in other words, and called with the keys that are picked and no other', async () => {
    const mint = async (label: string) =>
      jsonOf<{ id: number; key: string }>(
        await gateway().admin('/admin-api/mcp-keys', { method: 'POST', body: { label } }),
      )
    const [mine, other] = [await mint('Mine alone'), await mint('Another')]
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=listing')
    await page.getByLabel('Name', { exact: true }).fill('two words')
    await page.locator('[aria-invalid=true]').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.getByLabel('Name', { exact: true }).fill('')
    await page.getByLabel('Title', { exact: true }).fill('One pet')
    await page.getByLabel('Description of id').fill('Which pet it is')
    await page.getByRole('combobox', { name: 'Scope' }).click()
    await page.getByRole('option', { name: 'closed world' }).click()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('getPet’s listing was changed').waitFor()
    const as = (key: string, method: string, params: object = {}) =>
      gateway().ask('/mcp/pets', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'mcp-protocol-version': '2025-06-18' },
        body: { jsonrpc: '2.0', id: 1, method, params },
      })
    expect((await as(mine.key, 'tools/list')).json).toMatchObject({
      result: {
        tools: expect.arrayContaining([
          expect.objectContaining({
            title: 'One pet',
            annotations: expect.objectContaining({ readOnlyHint: true, openWorldHint: false }),
            inputSchema: expect.objectContaining({
              properties: expect.objectContaining({ id: expect.objectContaining({ description: 'Which pet it is' }) }),
            }),
          }),
        ]),
      },
    })
    await page.getByRole('tab', { name: /^What a model sees/ }).click()
    await page.getByRole('region', { name: 'Arguments' }).getByText('Which pet it is').waitFor()

    await page.getByRole('tab', { name: 'Limits' }).click()
    const allowed = page.getByRole('region', { name: 'Allowed keys' })
    await allowed.getByRole('combobox', { name: 'Add a key' }).click()
    await page.getByRole('option', { name: /^Mine alone/ }).click()
    await allowed.getByRole('listitem').getByText('Mine alone').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('getPet was changed').waitFor()
    expect(await petNow()).toMatchObject({ guards: { allowedKeyIds: [mine.id] } })
    const pet = async (key: string) => (await as(key, 'tools/call', { name: 'getPet', arguments: { id: 1 } })).text
    expect([await pet(mine.key), await pet(other.key)]).toEqual([
      expect.not.stringContaining('allowed_key'),
      expect.stringContaining('allowed_key'),
    ])
    await allowed.getByRole('button', { name: 'Remove Mine alone' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await soon(petNow).toMatchObject({ guards: { allowedKeyIds: [] } })
    await gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body: { overrides: null } })
    for (const { id } of [mine, other]) await gateway().admin(`/admin-api/mcp-keys/${id}`, { method: 'DELETE' })
  })

  it('keep what is typed when another user saves, and ask whose it shall be', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    const rate = page.getByLabel('Calls per minute')
    const inBetween = (rateLimitPerMin: number) =>
      gateway().admin('/admin-api/clients/pets/tools/getPet', {
        method: 'PATCH',
        body: { guards: { rateLimitPerMin } },
      })
    await rate.fill('7')
    await inBetween(8)
    await page.getByRole('alert').getByText('Someone else changed getPet').waitFor()
    expect([await rate.inputValue(), await page.getByRole('button', { name: 'Save' }).isDisabled()]).toEqual([
      '7',
      true,
    ])
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('getPet was changed').waitFor()
    expect(await petNow()).toMatchObject({ guards: { rateLimitPerMin: 7 } })
    await rate.fill('9')
    await inBetween(1)
    await page.getByRole('button', { name: 'Take theirs' }).click()
    expect(await rate.inputValue()).toBe('1')
  })

  it('are tried against unsaved limits: their verdict is shown, and nothing is sent', async () => {
    const before = await petNow()
    const asked = () => upstream.hits.filter(({ url }) => url.startsWith('/pets/')).length
    const sentBefore = asked()
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    const attempt = page.getByRole('button', { name: 'Try a call…' })
    await page.getByLabel('Timeout per attempt').fill('soon')
    await page.locator('[aria-invalid=true]').waitFor()
    expect(await attempt.isDisabled()).toBe(true)
    await page.getByLabel('Timeout per attempt').fill('')
    await page.getByLabel('Calls per minute').fill('60')
    await page.getByLabel('Refuse arguments matching').fill('666')
    await attempt.click()
    const dialog = page.getByRole('dialog', { name: 'Try a call of getPet' })
    const ask = dialog.getByRole('button', { name: 'Try the call' })
    await ask.click()
    await dialog.getByText('This call would be answered with an error').waitFor()
    await dialog.getByLabel('id').fill('666')
    await ask.click()
    await dialog.getByText('guardrail_input').waitFor()
    expect(await barriers(page)).toEqual([])
    await dialog.getByLabel('id').fill('5')
    await ask.click()
    await dialog.getByText('This call would be sent to the backend').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.waitFor({ state: 'hidden' })
    // What was sent in the dialog was not sent by the form behind it.
    expect([await page.getByRole('button', { name: 'Save' }).isDisabled(), await petNow()]).toEqual([false, before])
    expect(asked()).toBe(sentBefore)
  })

  it('are limited many at a time by a policy, once it was seen what that changes', async () => {
    await gateway().admin('/admin-api/policies', { method: 'POST', body: { name: 'Careful', timeoutMs: 4321 } })
    const page = await visitAs('admin', '/admin/tools?q=Pet&client=pets')
    await page.getByRole('checkbox', { name: /^Select all \d+ shown/ }).click()
    await page.getByRole('button', { name: 'Limit…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Limit \d+ tool/ })
    await dialog.getByRole('combobox', { name: 'Policy' }).click()
    await page.getByRole('option', { name: 'Careful' }).click()
    await dialog.getByRole('table', { name: 'Preview' }).getByText('getPet').waitFor()
    expect(await petNow()).not.toMatchObject({ guards: { timeoutMs: 4321 } })
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: /^Change \d+ tool/ }).click()
    await page.getByText(/^Careful was applied to/).waitFor()
    expect(await petNow()).toMatchObject({ guards: { timeoutMs: 4321 } })
    await gateway().admin('/admin-api/clients/pets/tools/getPet', {
      method: 'PATCH',
      body: { guards: { rateLimitPerMin: 1, timeoutMs: null } },
    })
  })

  it('say at the field what is no limit, and save nothing of it', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    const save = page.getByRole('button', { name: 'Save' })
    for (const text of ['sixty', '-5']) {
      await page.getByLabel('Calls per minute').fill(text)
      await page.locator('[aria-invalid=true]').waitFor()
      expect(await save.isDisabled()).toBe(true)
      await page.keyboard.press('Enter')
    }
    await page.getByText('must be a whole number').waitFor({ state: 'detached' })
    expect(await petNow()).toMatchObject({ guards: { rateLimitPerMin: 1 } })
    expect(await barriers(page)).toEqual([])
  })

  it('keep what else guards a tool when one part is changed', async () => {
    const guardrails = { denyPatterns: ['DROP'], blockSecrets: true, scanResponses: true }
    await gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body: { guardrails } })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=limits')
    const patterns = page.getByLabel('Refuse arguments matching')
    await patterns.fill('(')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'UNSAFE_PATTERN' }).waitFor()
    await patterns.fill('DROP\nTRUNCATE')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('getPet was changed').waitFor()
    expect(await petNow()).toMatchObject({
      config: {
        guardrails: { denyPatterns: ['DROP', 'TRUNCATE'], blockSecrets: true, scanResponses: true },
      },
    })
    // The way back of the first change would lie under that of the second.
    await page.reload()
    await page.getByRole('checkbox', { name: /^Refuse arguments that contain a secret/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await soon(async () => await petNow()).toMatchObject({
      config: {
        guardrails: { denyPatterns: ['DROP', 'TRUNCATE'], blockSecrets: false, scanResponses: true },
      },
    })
    await undo(page, 'getPet was changed')
    await soon(petNow).toMatchObject({
      config: { guardrails: { denyPatterns: ['DROP', 'TRUNCATE'], blockSecrets: true, scanResponses: true } },
    })
    await gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body: { guardrails: null } })
  })

  it('are tried by form and as JSON, and every layer is shown', async () => {
    await gateway().admin('/admin-api/clients/pets/tools/getPet', { method: 'PATCH', body: { guards: null } })
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=run')
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('invalid_arguments', { exact: true }).waitFor()
    await page.getByLabel('id *').fill('7')
    const way = page.getByRole('region', { name: 'Pipeline' })
    await page.getByRole('checkbox', { name: 'Dry run (do not send)' }).click()
    await page.getByRole('button', { name: 'Check the call' }).click()
    await way
      .getByRole('listitem')
      .filter({ hasText: /^dispatch/ })
      .getByText('skipped')
      .waitFor()
    await page.getByRole('checkbox', { name: 'Dry run (do not send)' }).click()
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await way
      .getByRole('listitem')
      .filter({ hasText: /^dispatch/ })
      .getByText('passed')
      .waitFor()
    await page.getByRole('region', { name: 'response' }).getByText('ok').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('radio', { name: 'JSON' }).click()
    expect(JSON.parse(await page.getByLabel('Arguments', { exact: true }).inputValue())).toEqual({ id: 7 })
    expect(await barriers(page)).toEqual([])
  })

  it('are tried on behalf of a key and through a bundle, and what was tried comes back without its secrets', async () => {
    await gateway().admin('/admin-api/bundles', { method: 'POST', body: { name: 'others', tools: [] } })
    const body = { label: 'Only others', scopes: { bundles: ['others'] } }
    const { id } = jsonOf<{ id: number }>(await gateway().admin('/admin-api/mcp-keys', { method: 'POST', body }))
    const page = await visitAs('admin', '/admin/tools/pets/getPet?view=run')
    await page.getByRole('radio', { name: 'JSON' }).click()
    const json = page.getByLabel('Arguments', { exact: true })
    await json.fill('{ "id": 7,')
    await page.getByText('This is not JSON yet').waitFor()
    for (const name of ['Call the tool', 'Save these arguments…'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
    expect(await page.getByRole('radio', { name: 'Form' }).isDisabled()).toBe(true)
    await json.fill('{ "id": 7, "apiToken": "sesame-of-the-runner" }')
    await page.getByRole('radio', { name: 'Form' }).click()
    expect(await page.getByLabel('id *').inputValue()).toBe('7')
    await page.getByLabel('id *').fill('8')
    await page.getByRole('button', { name: 'Save these arguments…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Pet eight')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('“Pet eight” was saved without apiToken').waitFor()

    await page.getByRole('combobox', { name: 'Through' }).click()
    await page.getByRole('option', { name: /^others/ }).click()
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('unknown_tool', { exact: true }).first().waitFor()
    await page.getByRole('combobox', { name: 'Through' }).click()
    await page.getByRole('option', { name: 'Its backend' }).click()
    await page.getByRole('combobox', { name: 'As' }).click()
    await page.getByRole('option', { name: /^Only others/ }).click()
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('key_scope', { exact: true }).first().waitFor()
    expect(await barriers(page)).toEqual([])

    await page.reload()
    const before = page.getByRole('region', { name: 'History' })
    await before.getByRole('button', { name: /unknown_tool.*through others/ }).click()
    expect(await page.getByRole('combobox', { name: 'Through' }).textContent()).toContain('others')
    expect(await page.getByRole('combobox', { name: 'As' }).textContent()).toContain('Yourself')
    await page
      .getByRole('region', { name: 'Saved arguments' })
      .getByRole('button', { name: /^Pet eight/ })
      .click()
    expect(await page.getByLabel('id *').inputValue()).toBe('8')
    expect(await page.getByRole('combobox', { name: 'Through' }).textContent()).toContain('Its backend')
    expect(await page.evaluate(() => JSON.stringify(globalThis.localStorage))).not.toContain('sesame-of-the-runner')
    await page.getByRole('button', { name: 'Delete Pet eight' }).click()
    await page.getByRole('region', { name: 'Saved arguments' }).waitFor({ state: 'detached' })
    await undo(page, 'Pet eight')
    await page.getByRole('region', { name: 'Saved arguments' }).waitFor()
    // Where keys exist, a caller without one is refused.
    await gateway().admin(`/admin-api/mcp-keys/${id}`, { method: 'DELETE' })
  })

  it('that do not exist are reported missing', async () => {
    const page = await visitAs('admin', '/admin/tools/pets/nothing')
    await heading(page, 'pets has no tool called nothing').waitFor()
  })

  it('are found, ticked and switched among thousands, by keyboard too', async () => {
    const tools = Array.from({ length: 2000 }, (_, at) => ({
      name: `op_${String(at).padStart(4, '0')}`,
      method: at % 2 === 0 ? 'GET' : 'DELETE',
      endpoint: `/op/${at}`,
      description: at === 7 ? '<img src=x onerror=alert(1)> stays text' : `Operation number ${at}`,
    }))
    await registered(gateway(), { name: 'many', base_url: upstream.url, tools })
    const page = await visitAs('admin', '/admin/tools?client=many')
    await page.getByText('2,000 of', { exact: false }).waitFor()
    await page.getByText('<img src=x onerror=alert(1)> stays text').waitFor()
    expect(await page.locator('tbody tr[data-index]').count()).toBeLessThan(200)
    const table = page.getByRole('table', { name: 'Tools' })
    await table.locator('tbody tr[data-index="0"]').focus()
    await page.keyboard.press('End')
    await page.getByText('op_1999').waitFor()
    await soon(() => page.evaluate(() => globalThis.document.activeElement?.getAttribute('data-index'))).toBe('1999')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Find a tool').fill('/op_00\\d[13579]$/')
    await page.getByText('50 of', { exact: false }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all 50 shown' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('50 tools turned off').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('/op_00\\d[13579]$/')
    expect((await rpc(gateway(), 'many', 'tools/call', { name: 'op_0001', arguments: {} })).text).toContain('disabled')
    // The way back leaves off what was off before.
    await page.getByLabel('Find a tool').fill('/op_000\\d$/')
    await page.getByText('10 of', { exact: false }).waitFor()
    await page.getByRole('checkbox', { name: 'Select all 10 shown' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('5 tools turned off').waitFor()
    await undo(page, '5 tools turned off')
    expect((await rpc(gateway(), 'many', 'tools/call', { name: 'op_0001', arguments: {} })).text).toContain('disabled')
    expect((await rpc(gateway(), 'many', 'tools/call', { name: 'op_0002', arguments: {} })).text).toContain('ok')

    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this filter…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('The first ten')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Description' }).click()
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await turnTo(page, '/admin/tools')
    await page.getByRole('table', { name: 'Tools' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Description' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'The first ten', exact: true }).click()
    await page.getByText('10 of', { exact: false }).waitFor()
    expect(new URL(page.url()).searchParams.get('client')).toBe('many')
  })
})
