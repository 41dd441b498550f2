// Package scenario says, in one text file, what a scripted model does in each
// turn, so that a whole run can be tested without a provider.
//
// The file is a txtar archive: the comment is the script, the files are the
// contents that steps write or answer with.
//
//	# the first attempt forgets the error case
//	turn green src/auth 1
//	  write src/auth/auth.go wrong.go
//	  answer done.json
//	turn green src/auth 2
//	  write src/auth/auth.go right.go
//	  run go vet ./src/auth
//	  answer done.json
//	turn * * *
//	  say nothing to do
//	-- wrong.go --
//	…
//
// A turn is found by the marker that each prompt carries on a line of its own
// (see Marker). The first turn of the file that matches is played; a star
// matches anything. Words are separated by blanks; a word in double quotes is a
// Go string; run and say take the rest of their line as it stands. ${DIR},
// ${ROLE}, ${MODULE} and ${ATTEMPT} are replaced in arguments and contents, and
// nothing else is.
//
// Two players exist: Play, a program that behaves like an agent, and the
// gateway, which plays the model of a real agent. Both take the same file.
//
//	write PATH FILE       write the archive's FILE to PATH
//	append PATH FILE      add it at the end
//	edit PATH OLD NEW     replace the one occurrence of OLD
//	delete PATH           remove the file
//	run COMMAND LINE      run it with sh
//	daemon DURATION       leave a background process that lives that long
//	say TEXT              say something
//	answer FILE           return this JSON object and end
//	end                   end the model's message here; the rest follows if it is asked again
//	sleep DURATION        think for that long
//	usage IN OUT          tokens of the next answer of the model
//	status CODE [retry-after=SECONDS] [reset=WHEN] [message=TEXT] [times=N|forever]
//	limit WHEN            a usage limit that resets at WHEN (RFC 3339, or a duration from now)
//	cut [times=N|forever] cut the stream in the middle
//	refuse                stop for safety reasons
//	flood BYTES           say this much in one piece
//	garbage               one unreadable line
//	hang                  say nothing until ended
//	crash, exit N         end without a result (as a model: cut for ever)
package scenario
