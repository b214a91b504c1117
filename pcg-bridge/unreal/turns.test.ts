// A turn in a real editor: one entry of its undo history, and its files taken out of source control before they change.
import { describe, expect, it } from 'vitest'
import type { CallContext } from '../contract/index.ts'
import { double, editor, fails } from './connection.fixture.ts'
import { NO_PYTHON } from './double.fixture.ts'

const AGENT: CallContext = { actor: 'team', program: 'Painter', session: 'a', source: 'mcp' }
const OTHER: CallContext = { ...AGENT, program: 'Planter', session: 'b' }
const PERSON: CallContext = { actor: 'Petra', source: 'ui' }

describe.skipIf(NO_PYTHON)(`a turn in Unreal${NO_PYTHON ? ` (${NO_PYTHON})` : ''}`, () => {
  async function opened() {
    const peer = await double({ remoteControl: {} })
    const from = editor({ driver: 'remote-control', url: peer.remoteControl, autoConnect: false })
    await from.connect()
    const graph = async (name: string, who = PERSON) =>
      (await from.tools.create_pcg_graph({ name, package_path: '/Game/PCG' }, who)).asset_path
    const add = (pcg_graph_path: string, who: CallContext) =>
      from.tools.add_pcg_node({ pcg_graph_path, node_type: 'PCGDensityFilterSettings' }, who)
    const ours = async () => (await peer.ledger()).transactions.filter((title) => title !== 'A person')
    return { peer, from, graph, add, ours }
  }

  it('is one transaction over many calls; another author and the end of the turn close it', async () => {
    const { peer, from, graph, add, ours } = await opened()
    const path = await graph('G')
    const before = (await ours()).length
    const { node_name } = await add(path, AGENT)
    await add(path, AGENT)
    await from.tools.connect_pcg_nodes({ pcg_graph_path: path, from_node: node_name, to_node: 'Output' }, AGENT)
    await from.tools.get_pcg_graph_info({ pcg_graph_path: path }, AGENT)
    await from.tools.spawn_pcg_volume({ extent: [100, 100, 100] }, AGENT)
    expect((await ours()).slice(before)).toEqual(['Gantry: edits of Painter'])
    expect((await peer.ledger()).open).toBe(1)
    await add(path, OTHER)
    expect((await ours()).slice(before)).toEqual(['Gantry: edits of Painter', 'Gantry: edits of Planter'])
    await from.endTurn?.(OTHER)
    expect((await peer.ledger()).open).toBe(0)
    await add(path, PERSON)
    expect((await peer.ledger()).open).toBe(0)
    expect((await ours()).at(-1)).toBe('Gantry: add node')
  })

  it('closes by itself after a pause, and when it is undone', async () => {
    const { peer, from, graph, add } = await opened()
    const path = await graph('G')
    const batch: CallContext = { ...PERSON, batchId: 'b', label: 'Move trees' }
    await add(path, batch)
    expect((await peer.ledger()).transactions.at(-1)).toBe('Gantry: Move trees')
    await expect.poll(async () => (await peer.ledger()).open, { timeout: 15_000 }).toBe(0)
    await add(path, AGENT)
    expect((await peer.ledger()).open).toBe(1)
    expect(await from.undo({ author: 'team' }, PERSON)).toMatchObject({ failed: null })
    expect((await peer.ledger()).open).toBe(0)
  })

  it('checks a file out before it changes, once, and marks a new one for add', async () => {
    const { peer, graph, add } = await opened()
    const path = await graph('G')
    const key = path.toLowerCase()
    await peer.order({ do: 'source_control', files: { [path]: {} } })
    await add(path, AGENT)
    await add(path, AGENT)
    const made = await graph('New', AGENT)
    const { files, asked } = await peer.ledger()
    expect(files[key]).toMatchObject({ is_checked_out: true })
    expect(files[made.toLowerCase()]).toMatchObject({ is_added: true })
    expect(asked.filter((name) => name === key)).toHaveLength(1)
  })

  it('refuses a file of another with the name, an old revision, a failed checkout and a silent server: nothing changes', async () => {
    const { peer, from, graph, add, ours } = await opened()
    const [taken, old, refuses, away] = [
      await graph('Taken'),
      await graph('Old'),
      await graph('No'),
      await graph('Away'),
    ]
    await peer.order({
      do: 'source_control',
      files: {
        [taken]: { is_checked_out_other: true, checked_out_other: 'mara@studio-7', can_check_out: false },
        [old]: { is_current: false },
        [refuses]: { refuses: true },
      },
    })
    const before = await ours()
    const error = await fails(add(taken, AGENT))
    expect(error.code).toBe('EDITOR_BUSY')
    expect(error.message).toBe(`${taken} is checked out by mara@studio-7 in Perforce`)
    expect((await fails(add(old, AGENT))).message).toContain('has a newer revision')
    expect((await fails(add(refuses, AGENT))).message).toContain("can't edit exclusive file")
    await peer.order({ do: 'source_control', available: false })
    expect((await fails(add(away, AGENT))).message).toContain('does not answer')
    expect(await ours()).toEqual(before)
    const { node_count } = await from.tools.get_pcg_graph_info({ pcg_graph_path: taken }, AGENT)
    expect(node_count).toBe(0)
  })

  it('names the change list after the turn, and submits it by the word of a person only', async () => {
    const { peer, from, graph, add } = await opened()
    const path = await graph('G')
    await peer.order({ do: 'source_control', files: { [path]: {} } })
    const turn: CallContext = { ...AGENT, batchId: 'turn', label: 'Scatter trees' }
    await add(path, turn)
    await add(await graph('Second', turn), turn)
    const list = await from.changeList?.({ batchId: 'turn' }, null, PERSON)
    expect(list).toMatchObject({
      provider: 'Perforce',
      files: [path, '/Game/PCG/Second'],
      description: 'Scatter trees (Painter): 3 edits by Gantry',
      submitted: false,
    })
    expect((await peer.ledger()).submitted).toEqual([])
    expect(await from.changeList?.({ batchId: 'turn' }, list?.description ?? '', PERSON)).toMatchObject({
      submitted: true,
    })
    expect((await peer.ledger()).submitted).toMatchObject([{ description: list?.description }])
    expect(await from.changeList?.({ batchId: 'turn' }, null, PERSON)).toMatchObject({ files: [] })
  })
})
