// The page of turns in a host of MCP Apps: a sandboxed frame in a real Chromium, results and calls of a real gateway.
import { type Browser, chromium, type FrameLocator, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../scenarios/gateway.fixture.ts'
import { asAgent, fieldsOf, mcpCall, PCG_ENV } from '../scenarios/pcg.fixture.ts'
import { shot } from './studio.fixture.ts'
import { hasBrowser, soon, where } from './ui.fixture.ts'

type Fields = Record<string, unknown>
const AUTHOR = { editor: 'pcg-author' }
const HOST =
  '<!doctype html><meta charset="utf-8"><body style="margin:0"><iframe id="app" sandbox="allow-scripts"></iframe>'

describe.skipIf(!hasBrowser)(`the page of turns (${where})`, { timeout: 120_000 }, () => {
  let gateway: Gateway
  let browser: Browser
  let page: Page
  let html = ''
  let at: { pcg_graph_path: string }
  const app = (): FrameLocator => page.frameLocator('#app')
  const problems: string[] = []

  beforeAll(async () => {
    ;[gateway, browser] = await Promise.all([
      startGateway(PCG_ENV),
      chromium.launch({
        executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-background-networking'],
      }),
    ])
    const { asset_path } = await asAgent(gateway, 'create_pcg_graph', { name: 'Shown' })
    at = { pcg_graph_path: String(asset_path) }
    const answer = await gateway.ask('/mcp/pcg-author', {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'ui://gantry/pcg-turn' } },
      headers: { accept: 'application/json, text/event-stream' },
    })
    const { result } = fieldsOf(answer) as { result: { contents: { text: string }[] } } // by the protocol
    html = result.contents[0]?.text ?? ''
    page = await browser.newPage({ viewport: { width: 760, height: 900 } })
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('request', (request) => request.url().startsWith('http') && problems.push(request.url()))
    await page.exposeFunction('callTool', (name: string, args: Fields) => mcpCall(gateway, name, args, AUTHOR))
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.end()
  })

  /** What a host does: answers the handshake, hands the result over, passes calls of tools on, resizes the frame. */
  async function hosted(result: unknown, theme: 'light' | 'dark'): Promise<void> {
    await page.setContent(HOST)
    await page.evaluate(
      ({ text, given, look }) => {
        const frame = document.getElementById('app') as HTMLIFrameElement
        frame.style.cssText = 'border:0;width:100%;height:200px'
        const send = (message: object) => frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*')
        const called = async (id: unknown, name: string, args: object): Promise<void> => {
          const { callTool } = window as unknown as { callTool: (name: string, args: object) => Promise<object> }
          send({ id, result: await callTool(name, args) })
        }
        window.addEventListener('message', ({ source, data }) => {
          if (source !== frame.contentWindow) return
          const { id, method, params } = data
          if (method === 'ui/initialize') send({ id, result: { hostContext: { theme: look } } })
          else if (method === 'ui/notifications/initialized')
            send({ method: 'ui/notifications/tool-result', params: given })
          else if (method === 'ui/notifications/size-changed') frame.style.height = `${params.height}px`
          else if (method === 'tools/call') void called(id, params.name, params.arguments)
        })
        frame.srcdoc = text
      },
      { text: html, given: result, look: theme },
    )
  }

  it('shows differences, counts and pictures, and its button undoes the turn', async () => {
    const grid = {
      do: 'add node',
      node: 'grid',
      class: 'PCGCreatePointsGridSettings',
      settings: { GridExtents: [800, 800, 50] },
    }
    const trees = {
      do: 'add node',
      node: 'trees',
      class: 'PCGStaticMeshSpawnerSettings',
      settings: { MeshSelectorParameters: { MeshEntries: [{ Descriptor: { StaticMesh: '/Game/Tree' }, Weight: 1 }] } },
    }
    const wires = [
      { do: 'connect', from: 'grid', fromPin: 'Out', to: 'trees', toPin: 'In' },
      { do: 'connect', from: 'trees', fromPin: 'Out', to: 'Output', toPin: 'Out' },
    ]
    await mcpCall(gateway, 'patch_pcg_graph', { ...at, picture: 32, steps: [grid, trees, ...wires] }, AUTHOR)
    const shown = await mcpCall(gateway, 'show_pcg_turn', at, AUTHOR)
    for (const theme of ['dark', 'light'] as const) {
      await hosted(shown, theme)
      await app().getByText('+256').waitFor()
      await app().getByRole('img', { name: 'After', exact: true }).waitFor()
      await soon(() => app().locator('img').count()).toBe(3)
      await soon(() => app().locator('html').getAttribute('data-theme')).toBe(theme)
      await shot(page, `pcg-turn-${theme}`)
    }
    await app().getByText('+ node StaticMeshSpawner').first().waitFor()
    await app().getByRole('button', { name: 'Undo turn' }).click()
    await app().getByText('Undone', { exact: true }).waitFor()
    expect(await app().getByRole('button', { name: 'Undo turn' }).count()).toBe(0)
    expect(await asAgent(gateway, 'get_pcg_graph_info', at)).toMatchObject({ node_count: 0 })
    expect(problems).toEqual([])
  })

  it('shows text of others as text, a refusal as its sentence, and no picture from what is not one', async () => {
    const evil = '<img src=x onerror="parent.postMessage(1,\'*\')"><script>document.title=1</script>'
    const structuredContent = {
      asset_path: evil,
      diff: `+ node ${evil}`,
      batch_ids: [],
      before_and_after: { picture_before: 'image 1', instances_before: 1, instances_after: 1, instances_delta: 0 },
    }
    const image = { type: 'image', data: '"><script>', mimeType: 'text/html' }
    await hosted({ content: [{ type: 'text', text: '' }, image], structuredContent }, 'light')
    await app().getByText(`+ node ${evil}`).waitFor()
    expect(await app().locator('img, body script + script').count()).toBe(0)
    await hosted({ isError: true, content: [{ type: 'text', text: 'Needs approval <b>12</b>' }] }, 'light')
    await app().getByText('Needs approval <b>12</b>').waitFor()
    expect(problems).toEqual([])
  })
})
