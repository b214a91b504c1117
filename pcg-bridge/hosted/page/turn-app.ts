// The script of the page that shows a turn (MCP Apps): it runs in a sandbox of the client, so all of it is in one function.

/** Its text is sent to the client: it may name nothing from outside itself. */
export function turnApp(): void {
  type Fields = Readonly<Record<string, unknown>>
  const isRecord = (value: unknown): value is Fields =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const record = (value: unknown): Fields => (isRecord(value) ? value : {})
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
  const at = (id: string): HTMLElement => document.getElementById(id) ?? document.body

  let lastId = 0
  const waiting = new Map<number, (answer: Fields) => void>()
  const post = (message: Fields): void => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const ask = (method: string, params: Fields): Promise<Fields> =>
    new Promise((resolve) => {
      lastId += 1
      waiting.set(lastId, resolve)
      post({ id: lastId, method, params })
    })

  /** Foreign text is only ever the text of an element. */
  const show = (parent: HTMLElement, tag: string, className: string, text: string): HTMLElement => {
    const element = document.createElement(tag)
    element.className = className
    element.textContent = text
    parent.append(element)
    return element
  }
  const picture = (parent: HTMLElement, data: unknown, title: string): void => {
    if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return
    const frame = show(parent, 'figure', '', '')
    const image = document.createElement('img')
    image.src = `data:image/png;base64,${data}`
    image.alt = title
    frame.append(image)
    show(frame, 'figcaption', '', title)
  }
  const number = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en') : '–')

  const sized = (): void => {
    const { scrollHeight: height, scrollWidth: width } = document.documentElement
    post({ method: 'ui/notifications/size-changed', params: { width, height } })
  }
  const note = (text: string): void => {
    at('note').textContent = text
    sized()
  }

  let batches: readonly string[] = []
  const undo = async (): Promise<void> => {
    const button = at('undo')
    button.setAttribute('disabled', '')
    note('Undoing…')
    const answer = await ask('tools/call', { name: 'undo_pcg_turn', arguments: { batch_ids: batches } })
    const result = record(answer['result'])
    const { error } = record(result['structuredContent'])
    const refused = record(list(result['content'])[0])['text']
    const problem = answer['error']
      ? record(answer['error'])['message']
      : result['isError'] === true
        ? refused
        : (error ?? null)
    if (problem === null) {
      at('undo').hidden = true
      note('Undone')
      return
    }
    button.removeAttribute('disabled')
    note(typeof problem === 'string' ? problem : 'Not undone')
  }

  const shown = (result: Fields): void => {
    const content = list(result['content']).map(record)
    const images = content.filter(({ type }) => type === 'image').map(({ data }) => data)
    const imageOf = (name: unknown): unknown => {
      const [, place] = /^image (\d+)$/.exec(String(name)) ?? []
      return place === undefined ? undefined : images[Number(place) - 1]
    }
    let made = record(result['structuredContent'])
    if (made['diff'] === undefined)
      try {
        made = record(JSON.parse(String(content[0]?.['text'])))
      } catch {
        // Not a result of these tools: shown as text.
      }
    const [title, counts, changes, pictures] = ['title', 'counts', 'changes', 'pictures'].map(at)
    if (!title || !counts || !changes || !pictures) return
    for (const element of [counts, changes, pictures]) element.replaceChildren()
    if (result['isError'] === true || typeof made['diff'] !== 'string') {
      note(String(content[0]?.['text'] ?? 'Nothing to show'))
      return
    }
    title.textContent = typeof made['asset_path'] === 'string' ? made['asset_path'] : ''
    const about = record(made['before_and_after'])
    const delta = about['instances_delta']
    if (typeof about['instances_before'] === 'number' || typeof about['instances_after'] === 'number') {
      show(counts, 'span', 'count', number(about['instances_before']))
      show(counts, 'span', 'arrow', '→')
      show(counts, 'span', 'count', number(about['instances_after']))
      const signed =
        typeof delta !== 'number' ? '' : `${delta > 0 ? '+' : delta < 0 ? '−' : '±'}${number(Math.abs(delta))}`
      show(counts, 'span', `delta ${typeof delta === 'number' && delta < 0 ? 'less' : 'more'}`, signed)
      show(counts, 'span', 'unit', 'instances')
    }
    picture(pictures, imageOf(about['picture_before']), 'Before')
    picture(pictures, imageOf(about['picture_after']), 'After')
    for (const line of made['diff'].split('\n')) {
      const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'changed'
      show(changes, 'li', kind, line)
    }
    at('graph').replaceChildren()
    picture(at('graph'), imageOf(about['picture_graph']), 'Graph, before above after')
    const given = list(made['batch_ids']).concat(made['batch_id'] ?? [])
    batches = given.filter((each): each is string => typeof each === 'string')
    at('undo').hidden = batches.length === 0
    note(typeof about['error'] === 'string' ? about['error'] : '')
    for (const image of document.images) image.addEventListener('load', sized)
    sized()
  }

  const themed = (context: Fields): void => {
    const { theme } = context
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
  }
  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== window.parent) return
    const message = record(data)
    const { id, method } = message
    if (method === undefined) {
      const answer = typeof id === 'number' ? waiting.get(id) : undefined
      if (typeof id === 'number') waiting.delete(id)
      answer?.(message)
      return
    }
    const params = record(message['params'])
    if (method === 'ui/notifications/tool-result') shown(params)
    else if (method === 'ui/notifications/tool-cancelled') note('The call was cancelled')
    else if (method === 'ui/notifications/host-context-changed') themed(params)
    else if (id !== undefined) post({ id, result: {} })
  })
  at('undo').addEventListener('click', () => void undo())
  void ask('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'gantry-pcg-turn', version: '1' },
    appCapabilities: {},
  }).then((answer) => {
    themed(record(record(answer['result'])['hostContext']))
    post({ method: 'ui/notifications/initialized', params: {} })
    sized()
  })
}
