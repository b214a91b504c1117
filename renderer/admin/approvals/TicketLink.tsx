// A deep link to a ticket: opens it in the inbox.
import { Navigate, useParams } from '@tanstack/react-router'

export function TicketLink() {
  const { id = '' } = useParams({ strict: false })
  return <Navigate to="/approvals" search={{ ticket: id }} replace />
}
