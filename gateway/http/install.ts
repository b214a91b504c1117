// GET /install/:token: what a token shows, as JSON or as a page that needs nothing but itself. Contract 7.5.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InstallView } from '../contract/admin/install-links.ts'
import { GatewayError } from '../contract/error.ts'
import { type Language, languageOf } from '../contract/translate.ts'
import { INSTALL_STYLE, installPage, missingPage } from './install-page.ts'

/** Written into the page as its own text, so it names nothing outside itself. */
function copyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    const message = button.textContent
    button.addEventListener('click', () => {
      const text = document.getElementById(button.dataset.copy ?? '')?.textContent ?? ''
      const say = (word: string): void => {
        button.textContent = word
        setTimeout(() => {
          button.textContent = message
        }, 2000)
      }
      // Browsers give the clipboard to secure pages only.
      const copied = navigator.clipboard
        ? navigator.clipboard.writeText(text)
        : Promise.reject(new Error('no clipboard'))
      copied.then(
        () => say(button.dataset.copied ?? ''),
        () => say(button.dataset.failed ?? ''),
      )
    })
  }
}

export type InstallOptions = {
  /** Throws INSTALL_LINK_NOT_FOUND. `counts` is false for who only looks whether there is something. */
  readonly view: (token: string, request: FastifyRequest, counts: boolean) => Promise<InstallView>
}

const SCRIPT = `(${copyButtons.toString()})()`
const hashed = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
/** The page's own style and script, by their very bytes; nothing else runs, and nothing is fetched. */
const POLICY = [
  "default-src 'none'",
  `script-src ${hashed(SCRIPT)}`,
  `style-src ${hashed(INSTALL_STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A browser that prefetches or prerenders: no person has seen anything yet. */
function isSpeculative({ headers }: FastifyRequest): boolean {
  const printed = [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']].flat().join(',')
  return /prefetch|prerender|preview/i.test(printed)
}

/** The language that the page was asked for in, or the first of the browser that there is. */
function languageFor({ headers, query }: FastifyRequest): Language {
  const chosen = typeof query === 'object' && query !== null && 'lang' in query ? String(query.lang) : null
  const preferred = (headers['accept-language'] ?? '').split(',').map((each) => each.split(';')[0]?.trim() ?? '')
  return languageOf(chosen, preferred)
}

const wantsPage = ({ headers }: FastifyRequest): boolean => (headers.accept ?? '').includes('text/html')

function send(reply: FastifyReply, status: number, type: string, body: string): FastifyReply {
  return reply.code(status).type(`${type}; charset=utf-8`).send(body)
}

export function registerInstall(app: FastifyInstance, { view }: InstallOptions): void {
  app.get<{ Params: { token: string } }>(
    '/install/:token',
    { config: { rateLimit: 'install_link' } },
    async (request, reply) => {
      reply.headers({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        vary: 'Accept, Accept-Language',
      })
      // Not to be cached, and asked again on each visit: the same for every token.
      if (isSpeculative(request)) return reply.code(204).send()
      const page = wantsPage(request)
      if (page) reply.header('content-security-policy', POLICY)
      try {
        const shown = await view(request.params.token, request, request.method !== 'HEAD')
        if (!page) return await send(reply, 200, 'application/json', JSON.stringify(shown))
        return await send(reply, 200, 'text/html', installPage(shown, SCRIPT, languageFor(request)))
      } catch (error) {
        if (!page || !(error instanceof GatewayError) || error.code !== 'INSTALL_LINK_NOT_FOUND') throw error
        return send(reply, 404, 'text/html', missingPage(request.id, languageFor(request)))
      }
    },
  )
}
