// A link to one ticket, as webhooks and people send it: the inbox with that ticket open.
import { Navigate, useParams } from '@tanstack/react-router'

export function TicketLink() {
  const { id = '' } = useParams({ strict: false })
  return <Navigate to="/approvals" search={{ ticket: id }} replace />
}
