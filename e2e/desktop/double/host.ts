// The host double: the built main in a Node process with the Electron double, its one window in a real Chromium.
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, BrowserContext, Page, Route } from 'playwright'
import { endedWithUs } from '../../../tools/ended-with.ts'
import { startChromium } from '../../chromium.fixture.ts'
import { COMPILED } from '../../scenarios/gateway-process.fixture.ts'
import { asUser, type DesktopApp, type Ended, type Launch } from '../app.ts'
import { BINDING, DELIVERY, preloadWorld } from './preload-world.ts'
import {
  type Answered,
  APP_ORIGIN,
  type AskName,
  DOUBLE_ORIGIN,
  type FromMain,
  type Instruction,
  type ServerRequests,
} from './wire.ts'

const ROOT = path.join(import.meta.dirname, '..', '..', '..')
/** Electron's names of what a page may ask for, and Chromium's. */
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  geolocation: ['geolocation'],
  notifications: ['notifications'],
  media: ['camera', 'microphone'],
  midi: ['midi'],
  'clipboard-read': ['clipboard-read'],
  'clipboard-sanitized-write': ['clipboard-write'],
}

type Ask = <N extends AskName>(name: N, ask: ServerRequests[N]['ask']) => Promise<ServerRequests[N]['answer']>
type Main = {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  readonly output: () => string
  readonly ask: Ask
  readonly onInstruction: (listener: (instruction: Instruction) => void) => void
}

function startMain(launch: Launch): Main {
  const { userData, env = {}, args = [] } = launch
  const child = fork(path.join(ROOT, 'dist', 'main', 'index.js'), [`--user-data-dir=${userData}`, ...args], {
    execArgv: ['--import', new URL('register.ts', import.meta.url).href],
    env: { PATH: process.env.PATH ?? '', HOME: userData, ...COMPILED, ...env },
    serialization: 'advanced',
    silent: true,
    ...asUser(launch),
  })
  endedWithUs(child)
  let output = ''
  const collect = (chunk: Buffer): void => void (output += chunk.toString())
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)

  const waiting = new Map<number, (answered: Answered) => void>()
  const instruction: Instruction[] = []
  let listener = (each: Instruction): void => void instruction.push(each)
  child.on('message', (message: FromMain) => {
    if ('tell' in message) listener(message)
    else waiting.get(message.id)?.(message)
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      for (const [id, answer] of waiting) answer({ id, error: `main has ended with ${code}:\n${output}` })
      resolve({ code, output })
    })
  })
  let last = 0
  const ask: Ask = (name, what) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ value, error }) => {
        waiting.delete(id)
        if (error === undefined) resolve(value)
        else reject(new Error(error))
      })
      child.send({ id, name, ask: what }, (failed) => failed && reject(failed))
    })
  const onInstruction = (next: (each: Instruction) => void): void => {
    listener = next
    for (const each of instruction.splice(0)) next(each)
  }
  return { child, ended, output: () => output, ask, onInstruction }
}

/** A start that is expected to end by itself: a second instance, or a refusal. */
export function runDoubleToItsEnd(launch: Launch): Promise<Ended> {
  return startMain(launch).ended
}

const toApp = (url: string): string =>
  url.startsWith(DOUBLE_ORIGIN) ? APP_ORIGIN + url.slice(DOUBLE_ORIGIN.length) : url
const toDouble = (url: string): string =>
  url.startsWith(APP_ORIGIN) ? DOUBLE_ORIGIN + url.slice(APP_ORIGIN.length) : url

/** One for all applications of a worker, each in a context of its own: its start costs as much as theirs. */
let browser: Promise<Browser> | undefined
async function openBrowser(): Promise<Browser> {
  const started = await startChromium()
  started.once('disconnected', () => {
    browser = undefined
  })
  return started
}

type DoubleWindow = { readonly page: Page; readonly close: () => Promise<void> }

async function openWindow(
  main: Main,
  userData: string,
  opening: Extract<Instruction, { tell: 'open' }>,
): Promise<DoubleWindow> {
  const { width, height } = opening.bounds
  /** What pages stored is there at the next start. */
  const stored = path.join(userData, 'chromium', 'stored.json')
  const context = await (await (browser ??= openBrowser())).newContext({
    viewport: { width, height },
    colorScheme: opening.dark ? 'dark' : 'light',
    acceptDownloads: true,
    ...(existsSync(stored) && { storageState: stored }),
  })
  const page = await context.newPage()
  let closed: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closed ??= context
      .storageState({ path: stored })
      .catch(() => undefined)
      .then(() => context.close()))
  void main.ended.then(close)
  await context.exposeBinding(BINDING, async ({ frame }, channel: string, input: unknown) => {
    const facts = { url: toApp(frame.url()), top: frame.parentFrame() === null }
    return main.ask('invoke', { channel, input, frame: facts }).then(
      (value) => ({ value }),
      (error: Error) => ({ error: error.message }),
    )
  })
  await context.addInitScript(preloadWorld(readFileSync(opening.preload, 'utf8')))
  context.on('page', (popup) => void popup.close())
  return { page, close }
}

async function grantWhatMainGrants(main: Main, context: BrowserContext): Promise<void> {
  const granted: string[] = []
  for (const [name, names] of Object.entries(PERMISSIONS))
    if (await main.ask('permission', { name })) granted.push(...names)
  await context.grantPermissions(granted, { origin: DOUBLE_ORIGIN })
}

/** Answers the page's requests as Electron's network service does: app:// by main, navigations by main's leave. */
async function answerRequests(main: Main, page: Page, byMain: { loads: number }): Promise<void> {
  const isPopup = (route: Route): boolean => {
    try {
      return route.request().frame().page() !== page
    } catch {
      // A page so new that it has no frame yet.
      return true
    }
  }
  const answer = async (route: Route): Promise<void> => {
    const request = route.request()
    const url = toApp(request.url())
    if (isPopup(route)) {
      await main.ask('popup', { url })
      return route.abort('aborted')
    }
    const navigates = request.isNavigationRequest() && request.frame() === page.mainFrame()
    if (navigates && byMain.loads > 0) byMain.loads -= 1
    else if (navigates && !(await main.ask('navigate', { url }))) return route.abort('aborted')
    if (!url.startsWith(`${APP_ORIGIN}/`)) return route.abort('blockedbyclient')
    const { status, headers, body } = await main.ask('serve', { url })
    return route.fulfill({ status, headers: { ...headers }, body: Buffer.from(body) })
  }
  // Main may end, and the browser with it, while a page still asks.
  await page.context().route('**/*', (route) => answer(route).catch(() => route.abort().catch(() => undefined)))
}

export async function launchDouble(launch: Launch): Promise<DesktopApp> {
  const main = startMain(launch)
  const byMain = { loads: 0 }
  let page: Page | undefined
  let close = (): Promise<void> => Promise.resolve()
  let turn: Promise<unknown> = Promise.resolve()

  async function obey(instruction: Instruction): Promise<void> {
    if (instruction.tell === 'open') {
      // What the page of an earlier window stored is there in the next one.
      await close()
      ;({ page, close } = await openWindow(main, launch.userData, instruction))
      await answerRequests(main, page, byMain)
      return
    }
    if (instruction.tell === 'theme') return page?.emulateMedia({ colorScheme: instruction.dark ? 'dark' : 'light' })
    if (!page) throw new Error(`main sent ${instruction.tell} before it opened a window`)
    switch (instruction.tell) {
      case 'load':
        await grantWhatMainGrants(main, page.context())
        byMain.loads += 1
        await page.goto(toDouble(instruction.url))
        await main.ask('shown', null)
        return
      case 'reload':
        byMain.loads += 1
        await page.reload()
        return
      case 'send':
        await page.evaluate(([delivery, detail]) => window.dispatchEvent(new CustomEvent(delivery, { detail })), [
          DELIVERY,
          { channel: instruction.channel, payload: instruction.payload },
        ] as const)
    }
  }
  const loaded = new Promise<Page>((resolve, reject) => {
    main.onInstruction((instruction) => {
      turn = turn.then(() => (main.child.exitCode === null ? obey(instruction) : undefined))
      turn.then(() => instruction.tell === 'load' && page && resolve(page), reject)
    })
    void main.ended.then(({ code, output }) => reject(new Error(`main ended with ${code}:\n${output}`)))
  })
  loaded.catch(() => undefined)
  if (!launch.hidden) await loaded
  return {
    host: 'double',
    get page() {
      if (!page) throw new Error('there is no window')
      return page
    },
    origin: DOUBLE_ORIGIN,
    pid: main.child.pid ?? 0,
    output: main.output,
    facts: () => main.ask('facts', null),
    move: (bounds) => main.ask('move', bounds),
    minimize: () => main.ask('minimize', null),
    close: () => main.ask('close', null),
    clickTray: (label) => main.ask('tray', { label }),
    crashMain: (message) => main.ask('crash', { message, in: 'main' }),
    crashGateway: (message) => main.ask('crash', { message, in: 'gateway' }),
    clickMenu: (label) => main.ask('click', { label }),
    invokeAs: (frame, channel, input) => main.ask('invoke', { channel, input, frame }),
    async crashRenderer() {
      const again = (await loaded).waitForEvent('load')
      await main.ask('gone', { reason: 'crashed' })
      await again
    },
    async kill() {
      main.child.kill('SIGKILL')
      await main.ended
      await turn.catch(() => undefined)
      await close()
    },
    async quit() {
      await main.ask('quit', null)
      const { code } = await main.ended
      await turn.catch(() => undefined)
      await close()
      return code
    },
  }
}
