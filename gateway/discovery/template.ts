// A path with `{placeholders}`, a fixed query and perhaps a fragment, split into what a request needs.
import { decode, encode } from './serialize.ts'
import type { Template, TemplatePart } from './tool.ts'

export type FixedQuery = readonly { readonly name: string; readonly value: Template }[]

export type PathTemplate = {
  /** The placeholders' names, in order. */
  readonly names: ReadonlySet<string>
  /** `renamed` says which argument fills a placeholder when it is not its own name. */
  readonly path: (renamed: ReadonlyMap<string, string>) => Template
  readonly query: (renamed: ReadonlyMap<string, string>) => FixedQuery
}

const PLACEHOLDER = /\{([^{}/]+)\}/g

export function templateOf(text: string, placeholder: RegExp = PLACEHOLDER): PathTemplate {
  // A fragment only distinguishes two operations of one path; it is never sent.
  const whole = text.replace(/#.*$/s, '')
  const at = whole.indexOf('?')
  const path = at < 0 ? whole : whole.slice(0, at)
  const search = at < 0 ? '' : whole.slice(at + 1)
  const names = new Set([...whole.matchAll(placeholder)].map((match) => nameOf(match[1])))
  names.delete('__proto__')
  return {
    names,
    path: (renamed) => parts(path.startsWith('/') ? path : `/${path}`, placeholder, renamed, encodePath),
    query: (renamed) =>
      search
        .split('&')
        .filter((pair) => pair !== '')
        .map((pair) => {
          const [name = '', ...rest] = pair.split('=')
          return {
            name: plusDecoded(name),
            value: parts(rest.join('='), placeholder, renamed, (t) => encode(plusDecoded(t))),
          }
        }),
  }
}

function nameOf(text: string | undefined): string {
  // `{path*}` and `{+path}` are RFC 6570 for "several segments", which a value never becomes here.
  return (text ?? '').replace(/^[+#./;?&]|\*$/g, '')
}

function parts(
  text: string,
  placeholder: RegExp,
  renamed: ReadonlyMap<string, string>,
  write: (literal: string) => string,
): Template {
  const out: TemplatePart[] = []
  let from = 0
  for (const match of text.matchAll(placeholder)) {
    if (match.index > from) out.push(write(text.slice(from, match.index)))
    const name = nameOf(match[1])
    out.push({ argument: renamed.get(name) ?? name })
    from = match.index + match[0].length
  }
  if (from < text.length) out.push(write(text.slice(from)))
  return out
}

// Escapes that are there stay as they are; what a URL cannot hold is escaped.
function encodePath(literal: string): string {
  return literal.toWellFormed().replace(/[^\w\-.~!$&'()*+,;=:@/%]|%(?![0-9A-Fa-f]{2})/gu, encode)
}

function plusDecoded(text: string): string {
  return decode(text.replaceAll('+', ' '))
}
