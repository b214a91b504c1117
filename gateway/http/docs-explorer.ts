// The API explorer, as it runs in the browser. Its text is served as a script, so it may use nothing from outside itself.
export function explorer(): void {
  type Json = Record<string, unknown>
  type Operation = { tag: string; method: string; path: string; summary: string; role: string; spec: Json }
  const METHODS = ['get', 'post', 'put', 'patch', 'delete']
  const MAX_DEPTH = 12

  const isRecord = (value: unknown): value is Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const record = (value: unknown): Json => (isRecord(value) ? value : {})
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')

  const make = (name: string, className: string, ...children: (Node | string)[]): HTMLElement => {
    const element = document.createElement(name)
    if (className !== '') element.className = className
    element.append(...children)
    return element
  }

  const resolve = (schema: unknown, root: Json): Json => {
    const given = record(schema)
    const reference = text(given['$ref'])
    if (!reference.startsWith('#/')) return given
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => record(at)[key.replaceAll('~1', '/').replaceAll('~0', '~')], root)
    return record(found)
  }

  const isNull = (schema: unknown): boolean => record(schema)['type'] === 'null'
  const optionsOf = (schema: Json): unknown[] => [...list(schema['anyOf']), ...list(schema['oneOf'])]

  /** "This or null" reads as the thing itself, marked. */
  const unwrap = (given: unknown, root: Json): { schema: Json; nullable: boolean } => {
    const schema = resolve(given, root)
    const options = optionsOf(schema)
    const [only, ...others] = options.filter((option) => !isNull(option))
    if (only === undefined || others.length > 0 || options.length === 1) return { schema, nullable: false }
    const { anyOf: _any, oneOf: _one, ...around } = schema
    return { schema: { ...resolve(only, root), ...around }, nullable: true }
  }

  const typeOf = (schema: Json): string => {
    if (list(schema['enum']).length > 0)
      return list(schema['enum'])
        .map((value) => JSON.stringify(value))
        .join(' | ')
    if ('const' in schema) return JSON.stringify(schema['const'])
    const options = optionsOf(schema)
    if (options.length > 0) return [...new Set(options.map((option) => typeOf(record(option))))].join(' | ')
    const type = list(schema['type']).length > 0 ? list(schema['type']).join(' | ') : text(schema['type'])
    return type === 'array' ? `${typeOf(record(schema['items'])) || 'any'}[]` : type || 'any'
  }

  const notesOf = (schema: Json): string => {
    const bounds = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern', 'format']
      .filter((key) => key in schema)
      .map((key) => `${key} ${String(schema[key])}`)
    const fallback = 'default' in schema ? [`default ${JSON.stringify(schema['default'])}`] : []
    return [text(schema['description']), ...fallback, ...bounds].filter((part) => part !== '').join(' · ')
  }

  const childrenOf = (schema: Json): [name: string, child: unknown, required: boolean][] => {
    const required = list(schema['required'])
    const fields = Object.entries(record(schema['properties'])).map(([name, child]): [string, unknown, boolean] => [
      name,
      child,
      required.includes(name),
    ])
    const plain = (option: unknown): boolean => childrenOf(record(option)).length === 0 && !('$ref' in record(option))
    const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
      key !== 'allOf' && list(schema[key]).every(plain)
        ? []
        : list(schema[key]).map((child, index): [string, unknown, boolean] => [`${key} ${index + 1}`, child, true]),
    )
    const extra: [string, unknown, boolean][] = isRecord(schema['additionalProperties'])
      ? [['(any key)', schema['additionalProperties'], false]]
      : []
    return [...fields, ...extra, ...choices]
  }

  const schemaTree = (name: string, given: unknown, root: Json, required: boolean, depth: number): HTMLElement => {
    const { schema, nullable } = unwrap(given, root)
    const inner = schema['type'] === 'array' ? resolve(schema['items'], root) : schema
    const shown = `${inner === schema ? typeOf(schema) : `${typeOf(inner)}[]`}${nullable ? ' | null' : ''}`
    const line = [
      `${name}${name === '' || required ? '' : '?'} `,
      make('span', 'type', shown),
      ' ',
      make('span', 'note', notesOf(schema)),
    ]
    const children = depth < MAX_DEPTH ? childrenOf(inner) : []
    if (children.length === 0) return make('div', 'leaf', ...line)
    const details = document.createElement('details')
    details.open = depth === 0
    const fill = (): void => {
      if (details.children.length > 1) return
      details.append(
        make('div', '', ...children.map(([key, child, must]) => schemaTree(key, child, root, must, depth + 1))),
      )
    }
    details.append(make('summary', '', ...line))
    if (details.open) fill()
    details.addEventListener('toggle', fill)
    return details
  }

  const schemaBlock = (title: string, schema: unknown, root: Json): HTMLElement[] => [
    make('h3', '', title),
    make('div', 'schema', schemaTree('', schema, root, true, 0)),
  ]

  const contentSchema = (holder: unknown): { type: string; schema: unknown } | undefined => {
    const [type, media] = Object.entries(record(record(holder)['content']))[0] ?? []
    return type === undefined ? undefined : { type, schema: record(media)['schema'] ?? {} }
  }

  const describe = ({ spec }: Operation, root: Json): HTMLElement => {
    const body = make('div', 'body')
    if (text(spec['description']) !== '') body.append(make('p', '', text(spec['description'])))
    const parameters = list(spec['parameters']).map((each) => resolve(each, root))
    if (parameters.length > 0)
      body.append(
        make('h3', '', 'Parameters'),
        make(
          'div',
          'schema',
          ...parameters.map((each) =>
            schemaTree(
              `${text(each['name'])} (${text(each['in'])})`,
              each['schema'],
              root,
              each['required'] === true,
              1,
            ),
          ),
        ),
      )
    const sent = contentSchema(resolve(spec['requestBody'], root))
    if (sent) body.append(...schemaBlock(`Body · ${sent.type}`, sent.schema, root))
    for (const [status, answer] of Object.entries(record(spec['responses']))) {
      const resolved = resolve(answer, root)
      const content = contentSchema(resolved)
      const title = `${status} ${text(resolved['description'])}`
      if (content && status.startsWith('2'))
        body.append(...schemaBlock(`${title} · ${content.type}`, content.schema, root))
      else body.append(make('h3', '', title))
    }
    return body
  }

  const operationsOf = (root: Json): Operation[] =>
    Object.entries(record(root['paths'])).flatMap(([path, item]) =>
      METHODS.filter((method) => isRecord(record(item)[method])).map((method) => {
        const spec = record(record(item)[method])
        return {
          tag: text(list(spec['tags'])[0]) || 'other',
          method,
          path,
          summary: text(spec['summary']),
          role: text(spec['x-role']) || text(spec['x-access']),
          spec,
        }
      }),
    )

  const routeCard = (operation: Operation, root: Json): HTMLElement => {
    const card = document.createElement('details')
    card.className = 'route'
    card.id = `${operation.method}-${operation.path.replace(/[^A-Za-z0-9]+/g, '-')}`
    card.append(
      make(
        'summary',
        '',
        make('span', `method ${operation.method}`, operation.method.toUpperCase()),
        make('span', 'path', operation.path),
        make('span', 'summary', operation.summary),
        ...(operation.role === '' ? [] : [make('span', 'role', operation.role)]),
      ),
    )
    card.addEventListener('toggle', () => {
      if (card.open && card.children.length === 1) card.append(describe(operation, root))
    })
    return card
  }

  const show = (root: Json, operations: Operation[], query: string): void => {
    const words = query.toLowerCase().split(/\s+/)
    const found = operations.filter(({ tag, method, path, summary, role }) => {
      const hay = `${tag} ${method} ${path} ${summary} ${role}`.toLowerCase()
      return words.every((word) => hay.includes(word))
    })
    const byTag = Map.groupBy(found, ({ tag }) => tag)
    const routes = document.querySelector('#routes')
    const tags = document.querySelector('#tags')
    routes?.replaceChildren(
      ...[...byTag].map(([tag, members]) => {
        const section = make('section', '', make('h2', '', tag), ...members.map((each) => routeCard(each, root)))
        section.id = `tag-${tag}`
        return section
      }),
    )
    if (found.length === 0) routes?.append(make('p', 'quiet', 'No route matches. Try a path, a method or a word.'))
    tags?.replaceChildren(
      ...[...byTag].map(([tag, members]) => {
        const link = make('a', '', tag, make('span', '', String(members.length)))
        link.setAttribute('href', `#tag-${encodeURIComponent(tag)}`)
        return link
      }),
    )
  }

  const theme = (): void => {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
    const apply = (name: string): void => document.documentElement.setAttribute('data-theme', name)
    apply(localStorage.getItem('gantry-docs-theme') ?? dark)
    document.querySelector('#theme')?.addEventListener('click', () => {
      const next = document.documentElement.getAttribute('data-theme') === 'dark' ? 'light' : 'dark'
      localStorage.setItem('gantry-docs-theme', next)
      apply(next)
    })
  }

  const start = async (): Promise<void> => {
    theme()
    const answer = await window.fetch('docs/openapi.json')
    if (!answer.ok) throw new Error(`The document answered ${answer.status}`)
    const root = record(await answer.json())
    const operations = operationsOf(root)
    const version = document.querySelector('#version')
    if (version) version.textContent = `${text(record(root['info'])['version'])} · ${operations.length} routes`
    const search = document.querySelector<HTMLInputElement>('#search')
    search?.addEventListener('input', () => show(root, operations, search.value.trim()))
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || document.activeElement === search) return
      event.preventDefault()
      search?.focus()
    })
    show(root, operations, '')
  }

  start().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    document.querySelector('#routes')?.replaceChildren(make('p', 'quiet', `The document could not be read: ${reason}`))
  })
}
