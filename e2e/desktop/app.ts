// What a spec can see of the desktop application and do to it, whichever host runs it.
import type { Page } from 'playwright'
import type { Bounds, DoubleFacts, FrameFacts } from './double/wire.ts'

export type { Bounds, FrameFacts }

export type DesktopApp = {
  /** Electron itself, or the host double over Chromium. */
  readonly host: 'electron' | 'double'
  /** The window's page. */
  readonly page: Page
  /** Where the page believes to be: app://gantry, or what stands for it in the double. */
  readonly origin: string
  /** Of main's process. */
  readonly pid: number
  /** Everything main's process has printed. */
  readonly output: () => string
  readonly facts: () => Promise<DoubleFacts>
  readonly move: (bounds: Bounds) => Promise<void>
  readonly minimize: () => Promise<void>
  /** The person closes the window. */
  readonly close: () => Promise<void>
  readonly clickTray: (label: string) => Promise<void>
  /** Something in main throws uncaught. */
  readonly crashMain: (message: string) => Promise<void>
  /** The same in the gateway's process; in the double only. */
  readonly crashGateway: (message: string) => Promise<void>
  readonly clickMenu: (label: string) => Promise<void>
  /** An IPC message as a frame would send it that is not our page. */
  readonly invokeAs: (frame: FrameFacts, channel: string, input: unknown) => Promise<unknown>
  /** The renderer's process dies; resolves when the window shows a page again. */
  readonly crashRenderer: () => Promise<void>
  /** Main's process is killed, with no time for a word. */
  readonly kill: () => Promise<void>
  /** A clean end, as File → Quit. */
  readonly quit: () => Promise<number | null>
}

export type Launch = {
  readonly userData: string
  readonly env?: Readonly<Record<string, string>>
  /** Another user of this system to start it as. */
  readonly uid?: number
  /** No window is expected: the page is missing until one opens. */
  readonly hidden?: boolean
  /** Further arguments of the command line. */
  readonly args?: readonly string[]
}
export type Ended = { readonly code: number | null; readonly output: string }

/** For the start of a process: as whom. */
export const asUser = ({ uid }: Launch): { uid?: number; gid?: number } => (uid === undefined ? {} : { uid, gid: uid })
