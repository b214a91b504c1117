// What the two halves of the host double say to each other: main's process with its Electron double, and the test with Chromium.

/** Where the double serves app://gantry to Chromium, which does not support the scheme. A secure context, as app:// is. */
export const DOUBLE_ORIGIN = 'http://gantry.localhost'
export const APP_ORIGIN = 'app://gantry'

export type Bounds = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
export type Notice = { readonly title: string; readonly body: string }
export type FrameFacts = { readonly url: string; readonly top: boolean }
export type Page = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
/** What a test may want to know of main's side. */
export type DoubleFacts = {
  readonly windows: number
  readonly minimized: boolean
  readonly visible: boolean
  readonly focuses: number
  readonly bounds: Bounds
  readonly preferences: Readonly<Record<string, unknown>>
  readonly backgroundColor: string
  /** What main asked of Electron's app, in the double only. */
  readonly registered: readonly (readonly [method: string, ...args: unknown[]])[]
  readonly opened: readonly string[]
  /** What each says. */
  readonly dialogs: readonly string[]
  /** The words of its rows. */
  readonly tray: readonly string[]
  readonly notices: readonly Notice[]
  /** The utility processes that run now. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[]
}

/** Asked of main's process, as Chromium or a person at the screen would. */
export type ServerRequests = {
  serve: { readonly ask: { readonly url: string }; readonly answer: Page }
  invoke: {
    readonly ask: { readonly channel: string; readonly input: unknown; readonly frame: FrameFacts }
    readonly answer: unknown
  }
  navigate: { readonly ask: { readonly url: string }; readonly answer: boolean }
  popup: { readonly ask: { readonly url: string }; readonly answer: undefined }
  permission: { readonly ask: { readonly name: string }; readonly answer: boolean }
  gone: { readonly ask: { readonly reason: string }; readonly answer: undefined }
  shown: { readonly ask: null; readonly answer: undefined }
  minimize: { readonly ask: null; readonly answer: undefined }
  close: { readonly ask: null; readonly answer: undefined }
  tray: { readonly ask: { readonly label: string }; readonly answer: undefined }
  crash: { readonly ask: { readonly message: string; readonly in: 'main' | 'gateway' }; readonly answer: undefined }
  move: { readonly ask: Bounds; readonly answer: undefined }
  click: { readonly ask: { readonly label: string }; readonly answer: undefined }
  facts: { readonly ask: null; readonly answer: DoubleFacts }
  quit: { readonly ask: null; readonly answer: undefined }
}
export type AskName = keyof ServerRequests
export type Asked = { readonly id: number; readonly name: AskName; readonly ask: unknown }
export type Answered = { readonly id: number; readonly value?: unknown; readonly error?: string }

/** Instruction by main's process, in this order. */
export type Instruction =
  | { readonly tell: 'open'; readonly preload: string; readonly bounds: Bounds; readonly dark: boolean }
  /** The colour scheme of pages. */
  | { readonly tell: 'theme'; readonly dark: boolean }
  | { readonly tell: 'load'; readonly url: string }
  | { readonly tell: 'reload' }
  | { readonly tell: 'send'; readonly channel: string; readonly payload: unknown }
export type FromMain = Instruction | Answered
