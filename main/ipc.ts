// The one IPC wrapper: known channel, trusted sender, parsed input, parsed output. Nothing else may call ipcMain.
import { CHANNEL_NAMES, CHANNELS, type ChannelInput, type ChannelName, type ChannelOutput } from '#channels'

/** What is needed of Electron's frame and event; its double in the tests has the same shape. */
export type Frame = { readonly url: string; readonly parent: unknown }
type InvokeEvent = { readonly senderFrame: Frame | null }
type Listener = (event: InvokeEvent, input?: unknown) => Promise<unknown>
export type IpcMain = { handle(channel: string, listener: Listener): void }

export type Handlers = {
  readonly [C in ChannelName]: (input: ChannelInput<C>) => Promise<ChannelOutput<C>> | ChannelOutput<C>
}

/** Only the top frame of our own page: an empty or about:blank address has no sender. */
export function isTrusted(frame: Frame | null, origin: string): boolean {
  if (frame === null || frame.parent !== null || !URL.canParse(frame.url)) return false
  const { protocol, host, username, password } = new URL(frame.url)
  return `${protocol}//${host}` === origin && username === '' && password === ''
}

function handleOne<C extends ChannelName>(ipcMain: IpcMain, channel: C, handler: Handlers[C], origin: string): void {
  const { input, output } = CHANNELS[channel]
  ipcMain.handle(channel, async (event, given) => {
    if (!isTrusted(event.senderFrame, origin))
      throw new Error(`${channel}: refused, the sender is not the application's page`)
    const parsed = input.safeParse(given)
    if (!parsed.success) throw new Error(`${channel}: invalid input`)
    // The schema of a channel is that of its handler, by the mapped type; the union over channels hides it.
    return output.parse(await handler(parsed.data as ChannelInput<C>))
  })
}

export function handleAll(ipcMain: IpcMain, handlers: Handlers, origin: string): void {
  for (const channel of CHANNEL_NAMES) handleOne(ipcMain, channel, handlers[channel], origin)
}
