// What a spec can see of the desktop application and do to it, whichever host runs it.
import type { Page } from 'playwright'
import type { Bounds, DialogBox, Facts, FrameFacts } from './double/wire.ts'

export type { Bounds, DialogBox, FrameFacts }

export type DesktopApp = {
  /** Electron itself, or the host double over Chromium. */
  readonly host: 'electron' | 'double'
  /** The window's page. */
  readonly page: Page
  /** Where the page believes to be: app://gantry, or what stands for it in the double. */
  readonly origin: string
  /** Everything main's process has printed. */
  readonly output: () => string
  readonly facts: () => Promise<Facts>
  readonly move: (bounds: Bounds) => Promise<void>
  readonly minimize: () => Promise<void>
  readonly clickMenu: (label: string) => Promise<void>
  /** Presses a button of the oldest dialog. */
  readonly press: (button: string) => Promise<void>
  /** An IPC message as a frame would send it that is not our page. */
  readonly invokeAs: (frame: FrameFacts, channel: string, input: unknown) => Promise<unknown>
  /** The renderer's process dies; resolves when the window shows a page again. */
  readonly crashRenderer: () => Promise<void>
  /** A clean end, as File → Quit. */
  readonly quit: () => Promise<number | null>
}

export type Launch = {
  readonly userData: string
  readonly env?: Readonly<Record<string, string>>
}
export type Ended = { readonly code: number | null; readonly output: string }
