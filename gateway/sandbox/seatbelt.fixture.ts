// A double of Seatbelt: reads the part of its profile language that is documented, and says what a profile allows. It is strict: what it does not know is an error, and what rules of two kinds leave open is `unclear`. It has never been compared with a Mac.

export type Form = string | { readonly text: string } | readonly Form[]

export type Asked = {
  readonly operation: string
  readonly path?: string
  readonly kind?: 'DIRECTORY' | 'CHARACTER-DEVICE'
  readonly remote?: string
  readonly local?: string
  readonly name?: string
  readonly target?: 'same-sandbox' | 'others'
}

type Rule = { readonly isAllowed: boolean; readonly operations: readonly string[]; readonly filters: readonly Form[] }

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' }
/** Comments, brackets, texts (also `#"…"`, without escapes), words. */
const TOKEN = /;[^\n]*|\(|\)|#"[^"]*"|"(?:[^"\\]|\\[^])*"|[^\s()";]+|\s+/y

export function formsOf(profile: string): readonly Form[] {
  const stack: Form[][] = [[]]
  const top = (): Form[] => stack.at(-1) ?? []
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < profile.length; ) {
    const at = TOKEN.lastIndex
    const [token = ''] = TOKEN.exec(profile) ?? []
    if (token === '') throw new Error(`not a profile at ${at}: ${profile.slice(at, at + 40)}`)
    if (token === '(') stack.push([])
    else if (token === ')') {
      const made = stack.pop() ?? []
      if (stack.length === 0) throw new Error('a bracket too many')
      top().push(made)
    } else if (token.startsWith('#"')) top().push({ text: token.slice(2, -1) })
    else if (token.startsWith('"')) top().push({ text: textOf(token) })
    else if (!token.startsWith(';') && token.trim() !== '') top().push(token)
  }
  if (stack.length !== 1) throw new Error('a bracket too few')
  return top()
}

function textOf(token: string): string {
  return token.slice(1, -1).replaceAll(/\\([^])/g, (_whole, letter: string) => {
    const found = ESCAPES[letter]
    if (found === undefined) throw new Error(`an escape that is not known: \\${letter}`)
    return found
  })
}

const textIn = (form: Form | undefined): string => {
  if (typeof form === 'object' && 'text' in form) return form.text
  throw new Error(`a text is missing: ${JSON.stringify(form)}`)
}
const isList = (form: Form): form is readonly Form[] => Array.isArray(form)
const headOf = (form: Form): Form | undefined => (isList(form) ? form[0] : undefined)

function ruleOf(form: Form): Rule {
  if (!isList(form)) throw new Error(`no rule: ${JSON.stringify(form)}`)
  const [action, ...rest] = form
  if (action !== 'allow' && action !== 'deny') throw new Error(`no action: ${JSON.stringify(action)}`)
  return {
    isAllowed: action === 'allow',
    operations: rest.filter((each) => typeof each === 'string'),
    filters: rest.filter((each) => isList(each) && headOf(each) !== 'with'),
  }
}

const atEnd = (given: string | undefined, pattern: string): boolean => {
  if (given === undefined) return false
  const [host, port] = pattern.split(/:(?=[^:]*$)/)
  const [ofGiven, ofPort] = given.split(/:(?=[^:]*$)/)
  if (host !== '*' && host !== 'localhost') throw new Error(`a host may be * or localhost, not ${host}`)
  return (port === '*' || port === ofPort) && (host === '*' || ['127.0.0.1', '::1'].includes(ofGiven ?? ''))
}

function ends(given: string | undefined, filter: Form | undefined, value: Form | undefined): boolean {
  if (filter === 'ip') return atEnd(given, textIn(value))
  throw new Error(`a socket of a kind that is not known: ${JSON.stringify(filter)}`)
}

type Filter = (asked: Asked, given: readonly Form[]) => boolean
const FILTERS: Readonly<Record<string, Filter>> = {
  literal: ({ path }, [name]) => path === textIn(name),
  subpath: ({ path }, [name]) => path === textIn(name) || (path?.startsWith(`${textIn(name)}/`) ?? false),
  regex: ({ path }, [pattern]) => path !== undefined && new RegExp(textIn(pattern)).test(path),
  'vnode-type': ({ kind }, [name]) => kind === name,
  'global-name': ({ name }, [given]) => name === textIn(given),
  target: ({ target }, [given]) => target === given,
  remote: ({ remote }, [filter, value]) => ends(remote, filter, value),
  local: ({ local }, [filter, value]) => ends(local, filter, value),
  'require-all': (asked, given) => given.every((each) => matches(asked, each)),
  'require-not': (asked, given) => !given.some((each) => matches(asked, each)),
  'sysctl-name': () => false,
  'sysctl-name-prefix': () => false,
  'iokit-registry-entry-class': () => false,
  'iokit-user-client-class': () => false,
  'socket-domain': () => false,
  'socket-protocol': () => false,
}

function matches(asked: Asked, form: Form): boolean {
  const filter = isList(form) && typeof form[0] === 'string' ? FILTERS[form[0]] : undefined
  if (!isList(form) || filter === undefined) throw new Error(`a filter that is not known: ${JSON.stringify(form)}`)
  return filter(asked, form.slice(1))
}

const covers = (pattern: string, operation: string): boolean =>
  pattern === 'default' || (pattern.endsWith('*') && operation.startsWith(pattern.slice(0, -1)))

export type Verdict = 'allow' | 'deny' | 'unclear'

/** The last rule that matches counts. Whether one for the operation itself comes before one for its group is stated both ways: both have to agree. */
export function createSeatbelt(profile: string): (asked: Asked) => Verdict {
  const [version, ...forms] = formsOf(profile)
  if (JSON.stringify(version) !== '["version","1"]') throw new Error('it has no version')
  const rules = forms.map(ruleOf)
  return (asked) => {
    const fitting = rules.filter(
      ({ operations, filters }) =>
        operations.some((each) => each === asked.operation || covers(each, asked.operation)) &&
        (filters.length === 0 || filters.some((each) => matches(asked, each))),
    )
    const last = fitting.at(-1)
    const own = fitting.findLast(({ operations }) => operations.includes(asked.operation)) ?? last
    if (last === undefined || own === undefined) throw new Error('no rule is for everything')
    return last.isAllowed === own.isAllowed ? (last.isAllowed ? 'allow' : 'deny') : 'unclear'
  }
}
