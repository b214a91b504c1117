// Composites in the browser: made of steps, put in order, tried, listed in a bundle and called through it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerJson, startServer, type UpstreamServer } from '../../gateway/registry/upstream-server.fixture.ts'
import { jsonOf, NEAR, registered } from '../scenarios/registration.fixture.ts'
import { shot } from './studio.fixture.ts'
import {
  barriers,
  hasBrowser,
  heading,
  soon,
  turnTo,
  undo,
  useGateway,
  visitAs,
  visitAsNew,
  where,
} from './ui.fixture.ts'

const gateway = useGateway({ ...NEAR, REQUIRE_MCP_AUTH: 'false' })
let upstream: UpstreamServer
if (hasBrowser) {
  beforeAll(async () => {
    upstream = await startServer((request, response) => answerJson(response, { id: 'pine-17', asked: request.url }))
    const where = { type: 'object', properties: { limit: { type: 'integer' }, name: { type: 'string' } } }
    const parameters = {
      type: 'object',
      properties: { q: { type: 'string', description: 'Words' }, where },
      required: ['q'],
    }
    await registered(gateway(), {
      name: 'library',
      base_url: upstream.url,
      tools: ['search', 'fetch'].map((name) => ({
        name,
        method: 'GET',
        endpoint: `/${name}`,
        description: `Does ${name}`,
        inputSchema: parameters,
      })),
    })
    await gateway().admin('/admin-api/bundles', { method: 'POST', body: { name: 'readers', tools: [] } })
  })
  afterAll(() => upstream.close())
}

/** A way through several pages takes its time on a busy machine. */
const PATIENCE_MS = 180_000
type Page = Awaited<ReturnType<typeof visitAs>>
const step = (page: Page, at: number) => page.getByRole('listitem', { name: `Step ${at}`, exact: true })

async function choose(page: Page, within: ReturnType<typeof step>, name: string | RegExp, option: string | RegExp) {
  await within.getByRole('combobox', { name }).click()
  await page.getByRole('option', { name: option }).click()
}

describe.skipIf(!hasBrowser)(`composites (${where})`, { timeout: PATIENCE_MS }, () => {
  it('are made of steps whose arguments come from the input and from earlier steps', async () => {
    const page = await visitAs('admin', '/admin/composites')
    await page.getByText('No composite yet').waitFor()
    await page.getByRole('link', { name: 'New composite' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Not A Name')
    await page.getByRole('button', { name: 'Create composite' }).click()
    await page.getByText('Choose the tool for this step').waitFor()

    // The steps are made in the wrong order, and then moved.
    await choose(page, step(page, 1), /^Tool/, /fetch/)
    await page.getByRole('button', { name: 'Add a step' }).click()
    await choose(page, step(page, 2), /^Tool/, /search/)
    await page.getByRole('button', { name: 'Move step 2 up' }).click()
    await step(page, 1).getByText('library · search').waitFor()
    await step(page, 1).getByLabel('Name in later steps').fill('found')
    await page.getByRole('button', { name: 'Add input' }).click()
    await page.getByLabel('Input name').fill('words')
    await page.getByRole('checkbox', { name: 'Required' }).click()
    await step(page, 1).getByRole('button', { name: 'Insert a reference into q *' }).click()
    await page.getByRole('menuitem', { name: /^input\.words/ }).click()
    expect(await step(page, 1).getByLabel('q *', { exact: true }).inputValue()).toBe('input.words')
    await choose(page, step(page, 2), 'q *: comes from', /^Text/)
    const text = step(page, 2).getByLabel('q *', { exact: true })
    await text.fill('the one called {{ steps.lost.json.id }}')
    await step(page, 2).getByRole('button', { name: 'Replace' }).click()
    expect(await text.inputValue()).toBe('the one called ${steps.lost.json.id}')

    await page.getByRole('button', { name: 'Create composite' }).click()
    await page.getByText('INVALID_NAME').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('find-and-fetch')
    await page.getByRole('button', { name: 'Create composite' }).click()
    await step(page, 2).getByText('names no earlier step').waitFor()
    expect(await barriers(page)).toEqual([])
    await step(page, 2).getByLabel('q *', { exact: true }).fill('the one called ${steps.found.json.id}')
    await page.getByRole('button', { name: 'Create composite' }).click()
    await heading(page, 'find-and-fetch').waitFor()
  })

  it('are a graph beside their cards, which leads to a step and marks the one in hand', async () => {
    const page = await visitAs('admin', '/admin/composites/find-and-fetch')
    const node = (name: string | RegExp) =>
      page.getByRole('list', { name: 'Graph of the steps' }).getByRole('button', { name })
    await node('Step 1 library · search found · reads input.words').waitFor()
    await node('Step 2 library · fetch reads found.json.id').click()
    await step(page, 2).and(page.locator(':focus')).waitFor()
    expect(await node(/^Step 2/).getAttribute('aria-current')).toBe('true')
    await step(page, 1).getByLabel('Name in later steps').focus()
    await node(/^Step 1/)
      .and(page.locator('[aria-current=true]'))
      .waitFor()
    // One stop of the Tab key; the arrows move within.
    await node(/^Step 1/).focus()
    await page.keyboard.press('ArrowDown')
    await node(/^Step 2/)
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Output' }).and(page.locator(':focus')).waitFor()
    expect(await barriers(page)).toEqual([])
  })

  it('have their input as rows, whose renaming reaches the steps, and fixed values in the control of their type', async () => {
    const page = await visitAs('admin', '/admin/composites/find-and-fetch')
    const words = page.getByRole('listitem', { name: 'words', exact: true })
    await words.getByLabel('Description').fill('What to look for')
    await words.getByLabel('Input name').fill('text')
    await page.getByLabel('Description for models').click()
    expect(await step(page, 1).getByLabel('q *', { exact: true }).inputValue()).toBe('input.text')
    await page.getByRole('button', { name: 'Add input' }).click()
    const kind = page.getByRole('listitem', { name: 'field2', exact: true })
    await choose(page, kind, 'Type', 'Choice')
    await kind.getByLabel('Choices').fill('birch, oak')
    await choose(page, kind, 'Default', 'oak')
    await page.getByText('JSON Schema', { exact: true }).click()
    expect(JSON.parse(await page.getByLabel('Input as a JSON Schema').inputValue())).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to look for' },
        field2: { type: 'string', enum: ['birch', 'oak'], default: 'oak' },
      },
      required: ['text'],
    })

    const limit = step(page, 1).getByRole('combobox', { name: 'where: comes from' })
    await limit.click()
    await page.getByRole('option', { name: /^Fixed value/ }).click()
    await step(page, 1).getByRole('textbox', { name: 'limit' }).fill('5')
    await step(page, 1).getByRole('button', { name: 'Insert a reference into name' }).click()
    await page.getByRole('menuitem', { name: /^input\.text/ }).click()
    await step(page, 1).getByRole('button', { name: 'Edit as JSON' }).click()
    expect(JSON.parse(await step(page, 1).getByRole('textbox', { name: 'where' }).inputValue())).toEqual({
      limit: 5,
      name: { $ref: 'input.text' },
    })
    expect(await barriers(page)).toEqual([])
    // Nothing of it is kept.
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('listitem', { name: 'words', exact: true }).waitFor()
  })

  it('are tried without a call, and with', async () => {
    const page = await visitAs('admin', '/admin/composites/find-and-fetch?view=try')
    await page.getByLabel('words *').fill('<img src=x onerror=alert(1)>')
    await page.getByRole('button', { name: 'Check templates' }).click()
    const ran = page.getByRole('list', { name: 'Steps that ran' }).getByRole('listitem')
    await soon(() => ran.count()).toBe(2)
    await ran.first().getByText('"<img src=x onerror=alert(1)>"').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    await page.getByRole('checkbox', { name: /without calling tools/ }).click()
    await page.getByRole('button', { name: 'Run it' }).click()
    await ran.last().getByText('"the one called pine-17"').waitFor()
    await soon(() => ran.getByText('success', { exact: true }).count()).toBe(2)
    expect(await barriers(page)).toEqual([])
  })

  it('are called through the bundle that lists them, as they were changed', async () => {
    const call = async () => {
      const answer = await gateway().ask('/mcp-custom/readers', {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'find-and-fetch', arguments: { words: 'w' } },
        },
      })
      return jsonOf<{ result?: { content: { text: string }[] }; error?: object }>(answer)
    }
    expect(JSON.stringify(await call())).not.toContain('pine-17')
    const page = await visitAs('admin', '/admin/composites/find-and-fetch?view=bundles')
    await page.getByRole('combobox', { name: 'Add a bundle' }).click()
    await page.getByRole('option', { name: /^readers/ }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('row').filter({ hasText: '/mcp-custom/readers' }).waitFor()
    await soon(async () => JSON.stringify(await call())).toContain('the%20one%20called%20pine-17')

    // What is typed outlives a look at another tab.
    await page.getByRole('tab', { name: 'Steps' }).click()
    const answers = page.getByRole('region', { name: 'Output' })
    await answers.getByRole('combobox').click()
    await page.getByRole('option', { name: /^JSON/ }).click()
    await answers.getByRole('textbox').fill('{ "only": { "$ref": "steps.found.json.id" } }')
    await page.getByRole('tab', { name: 'Try it' }).click()
    await page.getByText('This runs the saved version').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await soon(async () => (await call()).result?.content.at(0)?.text).toBe('{"only":"pine-17"}')
    // The page has what it saved: what is done next is done to that.
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })

    await page.getByRole('switch', { name: 'find-and-fetch is enabled' }).click()
    await soon(async () => JSON.stringify(await call())).not.toContain('pine-17')
    await undo(page, 'find-and-fetch disabled')
    await soon(async () => (await call()).result?.content.at(0)?.text).toBe('{"only":"pine-17"}')
  })

  it('become a script that a person approves, runs and changes', async () => {
    const page = await visitAs('admin', '/admin/composites/find-and-fetch?view=script')
    await page.getByRole('button', { name: 'Convert steps to a script' }).click()
    const text = page.getByRole('textbox', { name: 'TypeScript' })
    await soon(() => text.inputValue()).toContain('library__search')
    await page.getByRole('button', { name: 'Save' }).click()
    const review = page.getByRole('region', { name: 'Review' })
    await review.getByText('waits for an approval').waitFor()
    await shot(page, 'script')
    expect(await barriers(page)).toEqual([])
    await review.getByRole('button', { name: 'Approve script' }).click()
    await review.getByText('Approved by admin').waitFor()

    await page.getByRole('tab', { name: 'Try it' }).click()
    await page.getByLabel('words *').fill('w')
    await page
      .getByRole('textbox', { name: 'Mocks' })
      .fill('{"library__search": [{"id": "m-1"}], "library__fetch": [{"id": "m-2"}]}')
    await page.getByRole('button', { name: 'Run without calls' }).click()
    const ran = page.getByRole('list', { name: 'Steps that ran' }).getByRole('listitem')
    await ran.last().getByText('"the one called m-1"').waitFor()
    await shot(page, 'script-try')
    await page.getByRole('checkbox', { name: /mocks and captured calls/ }).click()
    await page.getByRole('button', { name: 'Run it' }).click()
    await ran.last().getByText('"the one called pine-17"').waitFor()

    await page.getByRole('tab', { name: 'Script' }).click()
    await text.fill('export default async (): Promise<string> => "changed"')
    await page.getByRole('button', { name: 'Save' }).click()
    await review.getByText('waits for an approval').waitFor()
    const versions = page.getByRole('region', { name: 'Versions of the script' })
    // The newest is open while it waits for its approval.
    await versions.getByText('"changed"').waitFor()
    expect(await barriers(page)).toEqual([])
    await page.setViewportSize({ width: 900, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await shot(page, 'script-versions-900-dark')
    await page.getByRole('button', { name: 'Use the steps instead' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Convert steps to a script' }).waitFor()
  })

  it('are written as a script, whose problems are shown as it is typed', async () => {
    const page = await visitAs('admin', '/admin/add-composite')
    await page.getByLabel('Name', { exact: true }).fill('written')
    await page.getByRole('combobox', { name: 'Made of' }).click()
    await page.getByRole('option', { name: /^Script/ }).click()
    const tools = page.getByRole('region', { name: 'Tools of the script' })
    await tools.getByRole('combobox', { name: 'Add tool' }).click()
    await page.getByRole('option', { name: /search/ }).click()
    await tools.getByText('library__search').waitFor()
    const problems = page.getByRole('region', { name: 'Problems' })
    const text = page.getByRole('textbox', { name: 'TypeScript' })
    const script = (line: string) => `export default async function (input: Input): Promise<Output> {\n  ${line}\n}\n`
    await text.fill(
      script("const found = await call('library__search', { q: 1 })\n  return { count: found.lost ?? later }"),
    )
    await problems.getByText('"q" is a number; it must be text').waitFor()
    await problems.getByText('"later" is not defined').waitFor()
    expect(await barriers(page)).toEqual([])
    await shot(page, 'script-new')
    await problems.getByRole('button', { name: /^Line 3/ }).click()
    await text.and(page.locator(':focus')).waitFor()
    // A name of a tool is completed, and a new line is as deep as the one before.
    await text.fill(script("return call('"))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('End')
    await page.keyboard.type('sea')
    await page.getByRole('option', { name: 'library__search' }).waitFor()
    await shot(page, 'script-completion')
    await page.keyboard.press('Enter')
    await page.keyboard.type("', { q: input.q as string })")
    await soon(() => text.inputValue()).toBe(script("return call('library__search', { q: input.q as string })"))
    await problems.getByText('No problems found').waitFor()
    await page.getByRole('checkbox', { name: /Check the result against a schema/ }).click()
    await page.getByRole('textbox', { name: 'Output schema' }).fill('{')
    await page.getByRole('button', { name: 'Create composite' }).click()
    await page.getByText('This is not JSON yet').waitFor()
    await page.getByRole('textbox', { name: 'Output schema' }).fill('{ "type": "object" }')
    await page.getByText('Types of the script and its tools').click()
    await page.getByRole('group', { name: 'Type declarations' }).getByText('"library__search"').waitFor()
    await page.getByRole('button', { name: 'Create composite' }).click()
    await heading(page, 'written').waitFor()
    await page.getByRole('region', { name: 'Review' }).getByText('waits for an approval').waitFor()
    await page.getByRole('region', { name: 'Limits of a run' }).getByText('1,000, 16 at once').waitFor()
    await page.setViewportSize({ width: 900, height: 1400 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await shot(page, 'script-written-900-dark')
  })

  it('are read, and not changed, by a viewer', async () => {
    const page = await visitAsNew('looker', 'viewer', '/admin/composites?q=fetch')
    await page.getByRole('row').filter({ hasText: 'find-and-fetch' }).click()
    await step(page, 2).getByText('library · fetch').waitFor()
    expect(await page.getByRole('button', { name: /Remove|Move|Add|Save|Delete/ }).count()).toBe(0)
    expect(await page.getByRole('tab', { name: 'Try it' }).count()).toBe(0)
    await turnTo(page, '/admin/add-composite')
    await heading(page, 'Composites is not open to you').waitFor()
  })
})
