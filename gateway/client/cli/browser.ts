// The one place of the gateway that starts a program: the browser of the person who typed `gantry open`, and nothing else.
import { spawn } from 'node:child_process'
import path from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>
export type Opener = { readonly command: string; readonly args: readonly string[] }

/** How long an opener is given to say that it could not; some stay for as long as the browser does. */
const REFUSED_MS = 3_000
/** Letters, digits, dots and hyphens, or an IPv6 literal: nothing an opener could read otherwise. */
const PLAIN_HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

/** The admin application there, rebuilt from the address: its path, query and credentials are dropped. */
export function adminAddress(url: URL): string | undefined {
  const { protocol, host } = url
  return /^https?:$/.test(protocol) && PLAIN_HOST.test(host) ? `${protocol}//${host}/admin` : undefined
}

/** No shell reads the address, and it starts with http: no opener takes it for an option. */
export function openerOf(
  platform: NodeJS.Platform,
  env: Environment,
  address: string,
): Opener | { readonly lack: string } {
  switch (platform) {
    case 'darwin':
      return { command: '/usr/bin/open', args: [address] }
    case 'win32': {
      const system = path.win32.join(env.SystemRoot || 'C:\\Windows', 'System32')
      return { command: path.win32.join(system, 'rundll32.exe'), args: ['url.dll,FileProtocolHandler', address] }
    }
    default:
      return env.DISPLAY || env.WAYLAND_DISPLAY
        ? { command: 'xdg-open', args: [address] }
        : { lack: 'there is no display here' }
  }
}

/** Why no browser opened, or nothing. */
export function openInBrowser(
  address: string,
  platform: NodeJS.Platform,
  env: Environment,
): Promise<string | undefined> {
  const opener = openerOf(platform, env, address)
  if ('lack' in opener) return Promise.resolve(opener.lack)
  const { command, args } = opener
  return new Promise((resolve) => {
    // The key of the command line is in its environment, and no browser's business.
    const { GANTRY_ADMIN_KEY: _key, ...rest } = env
    const child = spawn(command, args, { stdio: 'ignore', detached: true, shell: false, windowsHide: true, env: rest })
    const waiting = setTimeout(() => resolve(undefined), REFUSED_MS)
    const report = (why: string | undefined): void => {
      clearTimeout(waiting)
      resolve(why)
    }
    child.once('error', ({ message }) => report(`${command} could not be started (${message})`))
    child.once('exit', (code) => report(code === 0 ? undefined : `${command} ended with ${String(code)}`))
    child.unref()
  })
}
