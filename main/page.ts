// Serves the built renderer on app://: a path inside the folder, the right type, the strict policy, nothing else.
import { readFile } from 'node:fs/promises'
import path from 'node:path'

export const APP_ORIGIN = 'app://gantry'

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

/** The file a page address names, or nothing when it leads out of the folder. */
export function fileOf(address: string, folder: string): string | undefined {
  let pathname: string
  try {
    pathname = decodeURIComponent(new URL(address).pathname)
  } catch {
    return undefined
  }
  if (pathname.includes('\0') || pathname.includes('\\')) return undefined
  const file = path.join(folder, pathname === '/' ? 'index.html' : pathname)
  return file.startsWith(path.resolve(folder) + path.sep) ? file : undefined
}

export async function servePage(address: string, folder: string, policy: string): Promise<Response> {
  const headers = {
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  }
  const own = new URL(address).host === new URL(APP_ORIGIN).host
  const file = own ? fileOf(address, folder) : undefined
  const type = file === undefined ? undefined : MEDIA[path.extname(file)]
  if (file === undefined || type === undefined) return new Response('not found', { status: 404, headers })
  try {
    return new Response(new Uint8Array(await readFile(file)), { headers: { ...headers, 'content-type': type } })
  } catch {
    return new Response('not found', { status: 404, headers })
  }
}
