// Serves the built renderer on app://: a path inside the folder, the right type, the strict policy, nothing else.
import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'

export const APP_ORIGIN = 'app://gantry'
/** The page that links relatively; `index.html` beside it is for the gateway's `/admin/`. */
export const APP_PAGE = 'desktop.html'

const MEDIA: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

export function isOwnPage(url: string): boolean {
  return url === APP_ORIGIN || url.startsWith(`${APP_ORIGIN}/`)
}

/** The file a page address names, or nothing when it leads out of the folder. */
export function fileOf(address: string, folder: string): string | undefined {
  let pathname: string
  try {
    pathname = decodeURIComponent(new URL(address).pathname)
  } catch {
    return undefined
  }
  if (pathname.includes('\0') || pathname.includes('\\')) return undefined
  const file = path.join(folder, pathname === '/' ? APP_PAGE : pathname)
  return file.startsWith(path.resolve(folder) + path.sep) ? file : undefined
}

/** A link inside the folder must not show what lies outside it. */
async function readInside(file: string, folder: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const real = await realpath(file)
    if (!real.startsWith((await realpath(folder)) + path.sep)) return undefined
    return new Uint8Array(await readFile(real))
  } catch {
    return undefined
  }
}

export async function servePage(address: string, folder: string, policy: string): Promise<Response> {
  const headers = {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  }
  const file = isOwnPage(address) ? fileOf(address, folder) : undefined
  const type = file === undefined ? undefined : MEDIA[path.extname(file)]
  const bytes = file === undefined || type === undefined ? undefined : await readInside(file, folder)
  return bytes === undefined || type === undefined
    ? new Response('not found', { status: 404, headers: { ...headers, 'content-type': 'text/plain' } })
    : new Response(bytes, { headers: { ...headers, 'content-type': type } })
}
