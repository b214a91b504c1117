// What the specs say to the page of the desktop window, in the words of its preload.

import { expect } from 'vitest'
import type { ChannelInput, ChannelOutput, Desktop, GatewayStatus } from '#channels'
import type { DesktopApp } from './app.ts'

/** Asks until it is so, with the patience that a busy machine needs. */
export const soon = <T>(ask: () => Promise<T> | T) => expect.poll(ask, { timeout: 20_000 })

type DesktopWindow = Window & { readonly desktop: Desktop }

export const gatewayStatus = ({ page }: DesktopApp): Promise<GatewayStatus> =>
  page.evaluate(() => (window as unknown as DesktopWindow).desktop.gatewayStatus())

export const adminRequest = (
  { page }: DesktopApp,
  request: ChannelInput<'admin:request'>,
): Promise<ChannelOutput<'admin:request'>> =>
  page.evaluate((given) => (window as unknown as DesktopWindow).desktop.adminRequest(given), request)

export const openExternal = ({ page }: DesktopApp, url: string): Promise<void> =>
  page.evaluate((given) => (window as unknown as DesktopWindow).desktop.openExternal(given), url)

/** The gateway's address as soon as it runs. */
export async function runningUrl(app: DesktopApp): Promise<string> {
  for (;;) {
    const { state, url, reason } = await gatewayStatus(app)
    if (state === 'running' && url !== null) return url
    if (state === 'stopped' && reason !== null) throw new Error(`The gateway did not start: ${reason}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
