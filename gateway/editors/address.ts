// Where an editor may be: on this machine always, elsewhere by the rules of every other outbound address. Contract 7.9.
import { isIP } from 'node:net'
import path from 'node:path'
import type { EditorDriver } from '#pcg-contract'
import { GatewayError } from '../contract/error.ts'
import type { Actor } from '../contract/role.ts'
import type { Outbound } from '../net/outbound.ts'
import { parseHttpUrl } from '../net/pin.ts'

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/
const MULTICAST = /^udp:\/\/(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})$/

function wrong(path: string, message: string, code: 'VALIDATION_ERROR' | 'INVALID_URL' = 'VALIDATION_ERROR'): never {
  throw new GatewayError(code, `${path} ${message}`, { fields: [{ path, message }] })
}

function groupAddress(url: string): string {
  const [, address = '', port = ''] = MULTICAST.exec(url) ?? []
  const first = Number(address.split('.')[0])
  const fits = isIP(address) === 4 && first >= 224 && first <= 239 && Number(port) > 0 && Number(port) < 65_536
  return fits ? url : wrong('url', 'must be a multicast group such as udp://239.0.0.1:6766', 'INVALID_URL')
}

/** The address a driver may dial: a name becomes one of its vetted addresses, which is stored. An address is only vetted. */
export async function vettedAddress(
  driver: EditorDriver,
  url: string | null,
  outbound: Pick<Outbound, 'pin'>,
): Promise<string | null> {
  if (url === null) return null
  switch (driver) {
    case 'embedded':
      return wrong('url', 'is not for the embedded editor, which lives in this process')
    case 'remote-execution':
      return groupAddress(url)
    case 'remote-control':
    case 'unreal-mcp': {
      const parsed = parseHttpUrl(url)
      if (parsed.protocol !== 'http:')
        wrong('url', 'must start with http://, which is all these editors speak', 'INVALID_URL')
      if (LOOPBACK.test(parsed.hostname)) return parsed.href
      if (driver === 'unreal-mcp')
        wrong('url', 'must be on this machine: that server accepts local connections only', 'INVALID_URL')
      const { addresses } = await outbound.pin(url, 'url')
      const [address = ''] = addresses
      parsed.hostname = isIP(address) === 6 ? `[${address}]` : address
      return parsed.href
    }
  }
}

/** The built-in editor has its project in the data directory. */
export function checkProject(driver: EditorDriver, given: string | null | undefined): void {
  if (given == null) return
  if (driver === 'embedded')
    wrong('projectDir', 'is not for the built-in editor, whose project is in the data directory')
  if (given.includes('\0')) wrong('projectDir', 'is not a folder')
}

/** Where a token goes: an origin, a multicast group, or the address that a driver uses by default. */
export function placeOf(driver: EditorDriver, url: string | null): string {
  if (url === null) return `the default address of ${driver}`
  return url.startsWith('http') ? new URL(url).origin : url
}

/** Where a record's folder is: its name stands for one in the data directory. */
export function sidecarFolder(stored: string, dataDir: string): string {
  return path.resolve(dataDir, 'pcg-sidecars', stored)
}

/** A folder of the data directory; anywhere else only for the person who sits at the machine. */
export function checkSidecar(actor: Pick<Actor, 'kind'>, given: string, dataDir: string): void {
  if (given.includes('\0')) wrong('sidecarDir', 'is not a folder')
  const root = sidecarFolder('', dataDir)
  const inside = sidecarFolder(given, dataDir).startsWith(`${root}${path.sep}`)
  if (!inside && !(actor.kind === 'desktop' && path.isAbsolute(given)))
    wrong('sidecarDir', 'must be a folder name; it is made in pcg-sidecars in the data directory')
}
