// Connecting by drag: compatible pins, and what a drop on a pin, node or the canvas does.
import type { Connection, FinalConnectionState, OnConnectStartParams, ReactFlowProps } from '@xyflow/react'
import { bestPinFor, edgeOf, fitting, type PinRef, pinKey, pinOf } from '../model/connect.ts'
import { connecting, cutting, rewiring } from '../model/edits.ts'
import { type EdgeView, edgeId, type GraphView } from '../model/graph.ts'
import { overridesFor } from '../model/overrides.ts'
import type { Bench } from './bench.ts'
import { type CanvasNode, pinOfHandle, type WireEdge } from './flow.ts'
import { hold, useHand } from './hand.ts'
import { nodeAt } from './use-strokes.tsx'

type Ends = Pick<Connection, 'source' | 'sourceHandle' | 'target' | 'targetHandle'>
const edgeFor = ({ source, sourceHandle, target, targetHandle }: Ends) => {
  const ends = { from: source, fromPin: pinOfHandle(sourceHandle), to: target, toPin: pinOfHandle(targetHandle) }
  return { id: edgeId(ends.from, ends.fromPin, ends.to, ends.toPin), ...ends }
}

/** Gives attributes only, which hardly any pin but an override takes. */
const drives = (view: GraphView, held: PinRef): boolean =>
  pinOf(view, held)?.types.every((type) => type === 'Param') === true

type Handlers = Required<
  Pick<
    ReactFlowProps<CanvasNode, WireEdge>,
    | 'onConnectStart'
    | 'onConnect'
    | 'onConnectEnd'
    | 'isValidConnection'
    | 'onReconnect'
    | 'onReconnectStart'
    | 'onReconnectEnd'
  >
>

export function connectionHandlers(bench: Bench): Handlers {
  const { view, perform } = bench
  const connect = (edge: EdgeView): void => void perform((at) => connecting(at.view, at.layout, [edge]))
  /** Another author may have removed the edge being dragged. */
  const rewire = (id: string, edge: EdgeView): void =>
    void perform((at) => {
      const before = at.view.edges.find((each) => each.id === id)
      return before ? rewiring(at.view, at.layout, before, edge) : connecting(at.view, at.layout, [edge])
    })
  const takeOff = (id: string): void =>
    void perform((at) => {
      const edges = at.view.edges.filter((each) => each.id === id)
      return edges.length > 0 ? cutting(at.view, edges, at.layout) : undefined
    })
  const letGo = (event: MouseEvent | TouchEvent, { isValid, fromNode, fromHandle }: FinalConnectionState): void => {
    hold({ fits: null })
    if (isValid || !fromNode || !fromHandle) return
    const touch = 'changedTouches' in event ? event.changedTouches[0] : event
    if (!touch) return
    const screen = { x: touch.clientX, y: touch.clientY }
    const side = fromHandle.type === 'source' ? 'out' : 'in'
    const held: PinRef = { node: fromNode.id, side, pin: pinOfHandle(fromHandle.id) }
    const onto = nodeAt(screen)
    const { taken } = useHand.getState()
    if (onto === undefined && taken !== null) return takeOff(taken)
    if (onto === undefined)
      return hold({
        picking: { kind: 'add', screen, at: bench.flow.screenToFlowPosition(screen), join: { pin: held } },
      })
    // A drop on a node's body connects its best matching pin.
    const pin = onto === held.node ? undefined : bestPinFor(view, held, onto)
    const edge = pin && edgeOf(held, pin)
    // An attribute set drives a property: the list offers them, unless a pin takes attributes.
    const takes = pin && pinOf(view, pin)?.types.includes('Param')
    if (
      taken === null &&
      onto !== held.node &&
      takes !== true &&
      drives(view, held) &&
      overridesFor(view, held, onto).length > 0
    )
      return hold({ picking: { kind: 'wire', node: held.node, pin: held.pin, onto } })
    if (edge && taken === null) connect(edge)
    else if (edge && taken !== null) rewire(taken, edge)
  }
  return {
    onConnectStart: (_event, { nodeId, handleId, handleType }: OnConnectStartParams) => {
      if (nodeId === null) return
      const side = handleType === 'source' ? 'out' : 'in'
      hold({ fits: fitting(view, { node: nodeId, side, pin: pinOfHandle(handleId) }) })
    },
    isValidConnection: (connection) => {
      const { fits } = useHand.getState()
      const { from, fromPin, to, toPin } = edgeFor({
        source: connection.source,
        target: connection.target,
        sourceHandle: connection.sourceHandle ?? null,
        targetHandle: connection.targetHandle ?? null,
      })
      return (
        fits?.has(pinKey({ node: to, side: 'in', pin: toPin })) === true ||
        fits?.has(pinKey({ node: from, side: 'out', pin: fromPin })) === true
      )
    },
    onConnect: (connection) => connect(edgeFor(connection)),
    onConnectEnd: letGo,
    onReconnectStart: (_event, { id }) => hold({ taken: id }),
    onReconnect: (old, connection) => {
      const after = edgeFor(connection)
      if (old.id !== after.id) rewire(old.id, after)
    },
    // Runs after the library's connect-end handler, which still reads this state.
    onReconnectEnd: () => hold({ taken: null }),
  }
}
