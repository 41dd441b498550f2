package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/re"
)

// What is asked for of a channel.
const (
	slackMost    = 100 // messages of the channel, or of a thread
	slackThreads = 10  // threads that are read, the newest first
	slackUsers   = 50  // names that are looked up; others stay ids
	slackAPI     = "https://slack.com/api"
)

// ErrNoSlack says how to get a token for Slack.
var ErrNoSlack = errors.New("no Slack token: create an app at https://api.slack.com/apps with the scopes channels:history and users:read (groups:history for private channels), install it, invite it to the channel, and set SLACK_TOKEN to its token, or SLACK_TOKEN_FILE to a file with it")

// channelID is how Slack calls a channel, a group or a conversation.
var channelID = re.New(`^[CGD][A-Z0-9]{5,}$`)

// Slack reads the newest messages of a channel, in the order in which they were written, with the newest threads. The
// environment has SLACK_TOKEN, or SLACK_TOKEN_FILE, and may have another SLACK_API_URL; without a token the error is ErrNoSlack.
func Slack(ctx context.Context, env map[string]string, channel string) ([]pdca.Message, error) {
	if !channelID().MatchString(channel) {
		return nil, fmt.Errorf("%q is not a Slack channel id: it starts with C and is shown at the end of the channel's URL and details", channel)
	}
	token, err := secret(env, "SLACK_TOKEN")
	if err != nil {
		return nil, err
	}
	if token == "" {
		return nil, ErrNoSlack
	}
	s, err := open("Slack", "SLACK_API_URL", env["SLACK_API_URL"], slackAPI, bearer(token))
	if err != nil {
		return nil, err
	}
	return (&slack{service: s, names: map[string]string{}}).channel(ctx, channel)
}

type slack struct {
	*service

	names map[string]string // of users, by id
}

// slackAnswer is what every answer begins with: Slack refuses with status 200.
type slackAnswer struct {
	OK    bool   `json:"ok"`
	Error string `json:"error"`
}

func (a slackAnswer) refused() (string, bool) { return a.Error, !a.OK }

type slackMessage struct {
	TS      string `json:"ts"`
	User    string `json:"user"`
	Name    string `json:"username"` // of apps
	Text    string `json:"text"`
	Subtype string `json:"subtype"`
	Thread  string `json:"thread_ts"`
	Replies int    `json:"reply_count"`
	Files   []struct {
		Name string `json:"name"`
	} `json:"files"`
	Attachments []struct {
		Fallback string `json:"fallback"`
	} `json:"attachments"`
	Reactions []struct {
		Name  string   `json:"name"`
		Users []string `json:"users"`
		Count int      `json:"count"`
	} `json:"reactions"`
}

type slackMessages struct {
	slackAnswer

	Messages []slackMessage `json:"messages"`
}

func (s *slack) ask(ctx context.Context, method string, q url.Values, to interface{ refused() (string, bool) }) error {
	if err := s.get(ctx, "/"+method, q, to); err != nil {
		if flow.ClassOf(err) == flow.Auth {
			return fmt.Errorf("%w: set SLACK_TOKEN to one that is valid", err)
		}
		return err
	}
	why, refused := to.refused()
	if !refused {
		return nil
	}
	hint := ""
	switch why {
	case "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive":
		hint = ": set SLACK_TOKEN to one that is valid"
	case "missing_scope":
		hint = ": give the app the scopes channels:history and users:read (groups:history for private channels), and install it again"
	case "not_in_channel":
		hint = ": invite the app to the channel"
	case "channel_not_found":
		hint = ": the app sees no channel with this id; invite the app to private channels"
	}
	return fmt.Errorf("Slack refuses %s (%s)%s", method, clip(why, 100), hint)
}

// channel reads what was said.
func (s *slack) channel(ctx context.Context, id string) ([]pdca.Message, error) {
	var who struct{ slackAnswer }
	if err := s.ask(ctx, "auth.test", nil, &who); err != nil {
		return nil, err
	}
	var got slackMessages
	if err := s.ask(ctx, "conversations.history", url.Values{"channel": {id}, "limit": {strconv.Itoa(slackMost)}}, &got); err != nil {
		return nil, err
	}
	read := map[string]bool{} // threads
	for _, m := range got.Messages {
		if m.Replies > 0 && len(read) < slackThreads {
			read[m.TS] = true
		}
	}
	var out []pdca.Message
	told := map[string]bool{} // replies
	threads := map[string][]slackMessage{}
	for _, m := range got.Messages { // newest first
		var replies []slackMessage
		if read[m.TS] {
			var t slackMessages
			if err := s.ask(ctx, "conversations.replies", url.Values{"channel": {id}, "ts": {m.TS}, "limit": {strconv.Itoa(slackMost)}}, &t); err != nil {
				return nil, err
			}
			replies = slices.DeleteFunc(t.Messages, func(r slackMessage) bool { return r.TS == m.TS })
		}
		threads[m.TS] = replies
		for _, r := range replies {
			told[r.TS] = true
		}
	}
	for _, m := range got.Messages {
		if told[m.TS] {
			continue // it is with its thread
		}
		replies := threads[m.TS]
		for _, r := range slices.Backward(replies) { // of the oldest come first at the end
			if err := s.add(ctx, &out, r, "reply"); err != nil {
				return nil, err
			}
		}
		kind := ""
		if m.Thread != "" && m.Thread != m.TS {
			kind = "reply to an older message"
		}
		n := len(out)
		if err := s.add(ctx, &out, m, kind); err != nil {
			return nil, err
		}
		if len(out) == n && m.Replies > 0 { // deleted, or nothing that can be read; its replies are to it all the same
			out = append(out, pdca.Message{Text: "(deleted)"})
		}
		if missing := m.Replies - len(replies); missing > 0 && len(out) > n {
			last := &out[len(out)-1]
			last.Notes = append(last.Notes, fmt.Sprintf("%d replies were not read", missing))
		}
	}
	slices.Reverse(out)
	return masked(out), nil
}

// add takes a message that a person or an app has written; that somebody joined is none.
func (s *slack) add(ctx context.Context, out *[]pdca.Message, m slackMessage, kind string) error {
	switch m.Subtype {
	case "", "thread_broadcast", "bot_message", "file_share", "me_message":
	default:
		return nil
	}
	msg := pdca.Message{From: "(bot) " + m.Name, Kind: kind}
	if at, _, ok := strings.Cut(m.TS, "."); ok {
		if sec, err := strconv.ParseInt(at, 10, 64); err == nil {
			msg.At = time.Unix(sec, 0).UTC()
		}
	}
	var err error
	if m.User != "" {
		if msg.From, err = s.user(ctx, m.User); err != nil {
			return err
		}
	}
	if msg.Text, err = s.readable(ctx, m.Text); err != nil {
		return err
	}
	for _, a := range m.Attachments { // of apps, which say nothing else
		if msg.Text == "" {
			msg.Text = clip(strings.TrimSpace(html.UnescapeString(a.Fallback)), maxText)
		}
	}
	for _, f := range m.Files {
		msg.Files = append(msg.Files, f.Name)
	}
	for _, r := range m.Reactions {
		var names []string
		for _, id := range r.Users[:min(len(r.Users), 5)] {
			name, err := s.user(ctx, id)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		if note := "reaction " + r.Name; len(names) > 0 {
			msg.Notes = append(msg.Notes, note+" of "+strings.Join(names, ", "))
		} else {
			msg.Notes = append(msg.Notes, fmt.Sprintf("%s, %d times", note, r.Count))
		}
	}
	if msg.Text != "" || len(msg.Files) > 0 {
		*out = append(*out, msg)
	}
	return nil
}

// user is the name of a user; its id where the app may not read names.
func (s *slack) user(ctx context.Context, id string) (string, error) {
	if name, ok := s.names[id]; ok {
		return name, nil
	}
	name := id
	if len(s.names) < slackUsers {
		var got struct {
			slackAnswer

			User struct {
				Name    string `json:"real_name"`
				Profile struct {
					Display string `json:"display_name"`
				} `json:"profile"`
			} `json:"user"`
		}
		if err := s.get(ctx, "/users.info", url.Values{"user": {id}}, &got); err != nil {
			return "", err
		}
		name = cmp.Or(got.User.Profile.Display, got.User.Name, id)
	}
	s.names[id] = name
	return name, nil
}

// marked are the parts of a text that Slack writes in angle brackets: <@U1>, <#C1|name>, <https://x|text>, <!here>.
var marked = re.New(`<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`)

// readable is a text as people read it.
func (s *slack) readable(ctx context.Context, text string) (string, error) {
	var err error
	text = replace(marked(), text, func(m []string) string {
		switch kind, what, label := m[1], m[2], m[3]; kind {
		case "@":
			if label != "" {
				return "@" + label
			}
			name, uerr := s.user(ctx, what)
			if uerr != nil {
				err = uerr
			}
			return "@" + name
		case "#":
			return "#" + cmp.Or(label, what)
		case "!":
			if label != "" {
				return "@" + strings.TrimPrefix(label, "@")
			}
			return "@" + what
		default:
			if label != "" && label != what {
				return label + " (" + what + ")"
			}
			return what
		}
	})
	return clip(strings.TrimSpace(html.UnescapeString(text)), maxText), err
}

// replace replaces each match by what f makes of its groups.
func replace(r *regexp.Regexp, s string, f func([]string) string) string {
	return r.ReplaceAllStringFunc(s, func(m string) string { return f(r.FindStringSubmatch(m)) })
}
