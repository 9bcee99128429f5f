/** Accounts, sign-in and members. */

/** On the server. */
export type Role = "admin" | "annotator";
export type ProjectRole = "annotator" | "curator" | "manager";

export interface Session {
  name: string;
  role: Role;
  csrf: string;
  expires: string;
}

export interface Status {
  version: string;
  set_up: boolean;
  session: Session | null;
}

export interface Account {
  name: string;
  role: Role;
  active: boolean;
  created: string;
}

/** A name under which there is work, though no account has it. */
export interface ReservedName {
  name: string;
  reason: "removed" | "restored";
  created: string;
  created_by: string;
}

export interface Member {
  name: string;
  role: ProjectRole;
  takes_part: boolean;
  active: boolean;
  created: string;
}
