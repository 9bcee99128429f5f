/** Invitations and API tokens. */

export interface InvitationUse {
  name: string;
  at: string;
}

export interface Invitation {
  id: number;
  /** null for one to the server. */
  project: number | null;
  project_name: string;
  role: string;
  uses: number;
  used: InvitationUse[];
  created: string;
  created_by: string;
  expires: string;
  state: "open" | "expired" | "withdrawn" | "used up" | "ended";
}

export interface NewInvitationLink {
  link: string;
  expires: string;
}

/** What an invited person gets. */
export interface InvitationView {
  project_name: string;
  role: string;
  invited_by: string;
  expires: string;
}

export interface Token {
  id: number;
  name: string;
  reads_only: boolean;
  created: string;
  expires: string;
  seen: string | null;
}

export interface NewTokenSecret extends Token {
  token: string;
}
